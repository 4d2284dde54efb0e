import type { Readable } from 'node:stream';
import type { Inventory } from '../../data/repositories/numbers/inventory.js';
import type { OwnNumberClaims } from '../../data/repositories/numbers/own-number-claims.js';
import type { Porting } from '../../data/repositories/numbers/porting.js';
import type {
  NumberChangeRow,
  NumberDocumentRow,
  OwnNumberClaimRow,
  PortingChangeRow,
  PortingRequestRow,
} from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { PortingStatus } from '../../model/number/porting.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { PortingSteps } from '../porting/steps.js';
import type { ClaimApproval } from '../own-numbers/approval.js';
import type { Documents } from '../numbers/documents.js';
import type { NumberAssigner } from '../numbers/number-assigner.js';

export interface NumberAdministrationOptions {
  readonly inventory: Inventory;
  readonly porting: Porting;
  readonly claims: OwnNumberClaims;
  readonly steps: PortingSteps;
  readonly claimApproval: ClaimApproval;
  readonly documents: Documents;
  readonly assigner: NumberAssigner;
  readonly clock: Clock;
}

export interface PortingCase {
  readonly request: PortingRequestRow;
  readonly documents: readonly NumberDocumentRow[];
  readonly history: readonly PortingChangeRow[];
}

const PAGE_SIZE = 200;

/** The operator's decisions on porting requests and on letters that claim numbers. */
export class NumberAdministration {
  constructor(private readonly options: NumberAdministrationOptions) {}

  /** Requests of all projects, newest first. @param before the last one of the page before */
  portings(
    status: PortingStatus | null,
    before: string | null = null,
    limit = PAGE_SIZE,
  ): Promise<PortingRequestRow[]> {
    return this.options.porting.page(null, status, before, limit);
  }

  /** @throws HatifError PORTING_NOT_FOUND */
  async porting(id: string): Promise<PortingCase> {
    const request = await this.#request(id);
    const [documents, history] = await Promise.all([
      this.options.documents.of({ porting_request_id: id }),
      this.options.porting.history(id),
    ]);
    return { request, documents, history };
  }

  /** @throws HatifError PORTING_NOT_FOUND, PORTING_INVALID_STATE */
  async review(id: string): Promise<PortingRequestRow> {
    return this.options.steps.review(await this.#request(id));
  }

  /** @throws HatifError PORTING_NOT_FOUND, PORTING_INVALID_STATE */
  async schedule(id: string, at: Date): Promise<PortingRequestRow> {
    return this.options.steps.schedule(await this.#request(id), at);
  }

  /** Assigns the numbers to the project. @throws HatifError PORTING_NOT_FOUND, PORTING_INVALID_STATE */
  async complete(id: string): Promise<PortingRequestRow> {
    return this.options.steps.complete(await this.#request(id));
  }

  /** @throws HatifError PORTING_NOT_FOUND, PORTING_INVALID_STATE */
  async reject(id: string, reason: string): Promise<PortingRequestRow> {
    return this.options.steps.end(await this.#request(id), 'rejected', 'operator', reason);
  }

  /** Claims of all projects, newest first. @param before the last one of the page before */
  claims(
    status: OwnNumberClaimRow['status'] | null,
    before: string | null = null,
    limit = PAGE_SIZE,
  ): Promise<OwnNumberClaimRow[]> {
    return this.options.claims.page(null, status, before, limit);
  }

  /** @throws HatifError NOT_FOUND */
  async claim(id: string): Promise<{ claim: OwnNumberClaimRow; documents: readonly NumberDocumentRow[] }> {
    const claim = await this.#claim(id);
    return { claim, documents: await this.options.documents.of({ claim_id: id }) };
  }

  /**
   * Assigns the number to the project. @throws HatifError NOT_FOUND, OWN_DID_NUMBER_UNAVAILABLE,
   * OWN_DID_NUMBER_NOT_AUTHORIZED if the claim is already decided
   */
  async approveClaim(id: string): Promise<OwnNumberClaimRow> {
    const { assigner, claimApproval } = this.options;
    const claim = await this.#claim(id);
    return assigner.change(async (tx, lanes) => {
      const approved = await claimApproval.approve(tx, lanes, claim, 'approved by the operator');
      // Rolls the assignment back.
      if (!approved) throw decided(claim);
      return approved;
    });
  }

  /** @throws HatifError NOT_FOUND, OWN_DID_NUMBER_NOT_AUTHORIZED if the claim is already decided */
  async rejectClaim(id: string, reason: string): Promise<OwnNumberClaimRow> {
    const { assigner, claims, clock } = this.options;
    const claim = await this.#claim(id);
    const decision = { status: 'rejected', reason, number_id: null } as const;
    const rejected = await assigner.change((tx) => claims.decide(id, decision, clock.now(), tx));
    if (!rejected) throw decided(claim);
    return rejected;
  }

  /** The number's changes, oldest first. @throws HatifError NUMBER_NOT_FOUND */
  async history(e164: string): Promise<NumberChangeRow[]> {
    const { inventory } = this.options;
    const row = await inventory.find(e164);
    if (!row) throw new HatifError('NUMBER_NOT_FOUND', { id: e164 });
    return inventory.history(row.id);
  }

  /** @throws StorageError */
  read(document: NumberDocumentRow): Promise<Readable> {
    return this.options.documents.read(document);
  }

  async #request(id: string): Promise<PortingRequestRow> {
    const row = await this.options.porting.get(null, id);
    if (!row) throw new HatifError('PORTING_NOT_FOUND', { id });
    return row;
  }

  async #claim(id: string): Promise<OwnNumberClaimRow> {
    const row = await this.options.claims.get(null, id);
    if (!row) throw new HatifError('NOT_FOUND', { what: { en: `the claim ${id}`, ar: arabic`طلب الإثبات ${id}` } });
    return row;
  }
}

function decided({ e164 }: OwnNumberClaimRow): HatifError {
  return new HatifError('OWN_DID_NUMBER_NOT_AUTHORIZED', { number: e164 });
}
