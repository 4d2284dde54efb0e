import type { Queryable } from '../../data/database.js';
import type { Inventory } from '../../data/repositories/numbers/inventory.js';
import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { OwnNumberClaims } from '../../data/repositories/numbers/own-number-claims.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { CodeRow, OwnNumberClaimRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { SpokenLanguage } from '../../model/spoken/index.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { SpeechError } from '../../ports/speech.js';
import { callFailed, type Placer } from '../calls/placement.js';
import type { OneTimeCodes } from '../codes/one-time-codes.js';
import type { SpokenCodes } from '../codes/spoken-codes.js';
import type { DocumentFile, Documents } from '../numbers/documents.js';
import type { NumberAssigner } from '../numbers/number-assigner.js';
import type { ClaimLimits } from './limits.js';
import { unavailable, type ClaimApproval } from './approval.js';

export interface ClaimOwnNumberOptions {
  readonly claims: OwnNumberClaims;
  readonly inventory: Inventory;
  readonly numbers: Pick<Numbers, 'findInSandbox'>;
  readonly assigner: Pick<NumberAssigner, 'change' | 'publish'>;
  readonly claimApproval: ClaimApproval;
  readonly codes: OneTimeCodes;
  readonly spoken: SpokenCodes;
  readonly documents: Documents;
  readonly limits: ClaimLimits;
  readonly clock: Clock;
}

export interface NewClaim {
  /** E.164. */
  readonly e164: string;
  readonly method: OwnNumberClaimRow['method'];
  /** The language in which the call speaks. */
  readonly language: SpokenLanguage;
  /** Claims the number in the project's sandbox: no telephone rings, and a letter is approved at once. */
  readonly sandbox: boolean;
}

const PURPOSE = 'own_number';
export const CODE_LENGTH = 6;
const CALL_SECONDS = 600;
const LETTER_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Lets customers bring their own numbers. They prove ownership by entering a code spoken in a call to the number, or by
 * a letter that the operator approves.
 */
export class ClaimOwnNumber {
  constructor(private readonly options: ClaimOwnNumberOptions) {}

  /**
   * Creates a claim. With the method `call`, the number is called at once. Nothing has changed if it throws.
   * @throws HatifError INVALID_PHONE_NUMBER, NUMBER_ALREADY_ASSIGNED, OWN_DID_NUMBER_UNAVAILABLE, RATE_LIMIT_EXCEEDED,
   * LEG_REFUSALS, CALL_FAILED; in the sandbox SANDBOX_*
   */
  async claim({ e164, method, language, sandbox }: NewClaim, placer: Placer): Promise<OwnNumberClaimRow> {
    const { claims, clock } = this.options;
    if (sandbox) await this.#assertFreeInSandbox(e164, placer.projectId);
    else await this.#assertFree(e164, placer.organizationId);
    const now = clock.now();
    const row: OwnNumberClaimRow = {
      id: newId(),
      organization_id: placer.organizationId,
      project_id: placer.projectId,
      sandbox,
      e164,
      method,
      status: 'pending',
      code_id: null,
      reason: null,
      number_id: null,
      expires_at: new Date(now.getTime() + LETTER_DAYS * DAY_MS),
      created_at: now,
      decided_at: null,
    };
    if (method === 'call') return this.#call(row, language, placer);
    await claims.insert(row);
    return row;
  }

  list(of: ProjectKind, beforeId: string | null, limit: number): Promise<OwnNumberClaimRow[]> {
    return this.options.claims.page(of, null, beforeId, limit);
  }

  /** @throws HatifError NOT_FOUND */
  async get(of: ProjectKind, id: string): Promise<OwnNumberClaimRow> {
    const row = await this.options.claims.get(of, id);
    if (!row) throw claimNotFound(id);
    return row;
  }

  /**
   * Adds the letter or another document that proves ownership. @throws HatifError NOT_FOUND,
   * OWN_DID_NUMBER_NOT_AUTHORIZED once the claim is decided, VALIDATION_ERROR; in the sandbox, where this decides the
   * claim, OWN_DID_NUMBER_UNAVAILABLE
   */
  async addLetter(of: ProjectKind, id: string, file: DocumentFile): Promise<OwnNumberClaimRow> {
    const row = await this.get(of, id);
    if (row.status !== 'pending' || row.method !== 'letter') throw notAuthorized(row.e164);
    await this.options.documents.add({ claim_id: id }, 'authorization', file);
    return row.sandbox ? this.#approve(row) : row;
  }

  /**
   * Verifies a claim with the code that the call spoke; without a code, returns the claim once the operator has
   * approved the letter. Idempotent.
   * @throws HatifError NOT_FOUND, OWN_DID_NUMBER_NOT_AUTHORIZED if the code is wrong or expired, no attempts are left,
   * or the claim is not yet proved; OWN_DID_NUMBER_UNAVAILABLE if another customer has the number by now
   */
  async verify(of: ProjectKind, id: string, code: string | null): Promise<OwnNumberClaimRow> {
    const row = await this.get(of, id);
    if (row.status === 'verified') return row;
    if (row.status !== 'pending' || row.code_id === null || code === null) throw notAuthorized(row.e164);
    const lanes: string[] = [];
    const onClosed = async (tx: Queryable, { state }: CodeRow): Promise<void> => {
      if (state === 'used') await this.options.claimApproval.approve(tx, lanes, row, 'verified by a call');
      else await this.#close(tx, row, state === 'expired' ? 'expired' : 'failed');
    };
    const entered = await this.options.codes.enter(row.code_id, PURPOSE, code, onClosed);
    await this.options.assigner.publish(lanes);
    if (entered?.outcome !== 'correct') throw notAuthorized(row.e164);
    return this.get(of, id);
  }

  /** Nobody reviews the letters of the sandbox. */
  async #approve(row: OwnNumberClaimRow): Promise<OwnNumberClaimRow> {
    const { assigner, claimApproval } = this.options;
    const approved = await assigner.change((tx, lanes) => claimApproval.approve(tx, lanes, row, 'sandbox letter'));
    if (!approved) throw notAuthorized(row.e164);
    return approved;
  }

  async #call(row: OwnNumberClaimRow, language: SpokenLanguage, placer: Placer): Promise<OwnNumberClaimRow> {
    const { claims, codes, spoken, limits } = this.options;
    const { sandbox } = row;
    await spoken.check(row.e164, placer, sandbox);
    if (!sandbox) await limits.take(row.e164, placer.projectId);
    const code = await codes.create({
      purpose: PURPOSE,
      length: CODE_LENGTH,
      lifetimeSeconds: CALL_SECONDS,
      sandbox,
    });
    const claimed = { ...row, code_id: code.id, expires_at: code.expires_at };
    await claims.insert(claimed);
    try {
      // The digits of the sandbox are known in advance, so they are valid at once.
      if (sandbox) await codes.make(code.id);
      const to = { codeId: code.id, to: row.e164, language, brand: null, sandbox };
      await spoken.call(to, placer);
      return claimed;
    } catch (error) {
      await claims.remove(row.id);
      await codes.remove(code.id);
      if (!(error instanceof SpeechError)) throw error;
      throw callFailed('no voice is available to speak the code', 'تعذّر تحويل الرمز إلى كلام الآن', error);
    }
  }

  async #close(tx: Queryable, row: OwnNumberClaimRow, status: 'failed' | 'expired'): Promise<void> {
    const { claims, clock } = this.options;
    await claims.decide(row.id, { status, reason: null, number_id: null }, clock.now(), tx);
  }

  async #assertFreeInSandbox(e164: string, projectId: string): Promise<void> {
    if ((await this.options.numbers.findInSandbox(projectId, e164)) === null) return;
    throw new HatifError('NUMBER_ALREADY_ASSIGNED', { number: e164 });
  }

  async #assertFree(e164: string, organizationId: string): Promise<void> {
    const known = await this.options.inventory.find(e164);
    if (known === null || known.state === 'released') return;
    if (known.organization_id === organizationId) throw new HatifError('NUMBER_ALREADY_ASSIGNED', { number: e164 });
    throw unavailable(e164);
  }
}

export function claimNotFound(id: string): HatifError {
  return new HatifError('NOT_FOUND', { what: { en: `the claim ${id}`, ar: arabic`طلب الإثبات ${id}` } });
}

function notAuthorized(number: string): HatifError {
  return new HatifError('OWN_DID_NUMBER_NOT_AUTHORIZED', { number });
}
