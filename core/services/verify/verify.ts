import type { VerificationObject, VerificationState } from '../../model/objects/verification.js';
import type { Queryable } from '../../data/database.js';
import { recordEvent } from '../../data/outbox.js';
import type { CallScope } from '../../data/repositories/calls/calls.js';
import type { SendAttempts } from '../../data/repositories/verification/send-attempts.js';
import type { VerificationView, Verifications } from '../../data/repositories/verification/verifications.js';
import type { CodeRow, SendStep, VerificationRow, VerifyChannel } from '../../data/rows.js';
import type { Database } from '../../data/database.js';
import { HatifError } from '../../model/errors/index.js';
import { asciiDigits, type SpokenLanguage } from '../../model/spoken/index.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import type { Placer } from '../calls/placement.js';
import type { OneTimeCodes } from '../codes/one-time-codes.js';
import type { Brands } from '../brands/brands.js';
import { recipientOf, type CodeDelivery } from './delivery.js';
import { blockOf, type SendLimits } from './limits.js';
import { assertReachable, planSending } from './plan.js';
import { completedEvent, presentVerification, stateOf } from './present.js';
import type { CodeSender } from './sender.js';

/** The purpose of these codes: a code can only be entered for its own purpose. */
export const VERIFY = 'verify';

export interface VerifyRequest {
  /** E.164, or an e-mail address. */
  readonly to: string;
  readonly channel: VerifyChannel | null;
  /** Where the code is sent next if it does not arrive. */
  readonly fallback?: readonly SendStep[];
  /** If no channel is requested, do not choose voice, because the number is already in a call. */
  readonly neverByVoice?: boolean;
  readonly codeLength: number;
  readonly expiresInSeconds: number;
  readonly language: SpokenLanguage;
  readonly brandId: string | null;
  readonly endUserIp: string | null;
}

/** The project and key on whose behalf codes are sent. */
export interface VerifyPlacer extends Placer {
  readonly sandbox: boolean;
}

export interface CheckObject {
  readonly verification_id: string;
  readonly state: VerificationState;
  readonly verified: boolean;
}

export interface VerifyOptions {
  readonly db: Database;
  readonly verifications: Verifications;
  readonly codes: OneTimeCodes;
  readonly attempts: SendAttempts;
  readonly sender: CodeSender;
  readonly delivery: CodeDelivery;
  readonly limits: SendLimits;
  readonly brands: Pick<Brands, 'spoken' | 'nameOf'>;
  readonly clock: Clock;
  readonly onLanes: (lanes: readonly string[]) => void;
}

/** Verifies that a person controls a number or an e-mail address: sends a code there, which the person enters. */
export class Verify {
  constructor(private readonly options: VerifyOptions) {}

  /**
   * Sends a code. Nothing has changed if it throws.
   * @throws HatifError VALIDATION_ERROR, INVALID_PHONE_NUMBER, SANDBOX_*, VOICE_AUTH_BRAND_NOT_APPROVED,
   * CHANNEL_NOT_CONFIGURED, VERIFY_BLOCKED, VERIFY_RATE_LIMITED, VERIFY_SEND_FAILED, LEG_REFUSALS
   */
  async start(request: VerifyRequest, placer: VerifyPlacer): Promise<VerificationObject> {
    const { brands, limits, codes, verifications, attempts, sender, delivery, db } = this.options;
    const { language, endUserIp } = request;
    const { sandbox, organizationId } = placer;
    const brand = await brands.spoken(request.brandId, language, placer);
    const [first, ...fallback] = await planSending(sender, request, placer);
    await assertReachable(sender, first, fallback, placer);
    const target = { ...first, organization_id: organizationId, end_user_ip: endUserIp };
    if (!sandbox) await this.#admit(target, limits);
    const number = [first, ...fallback].find(({ recipient }) => !recipient.includes('@'))?.recipient;
    const row = { ...target, fallback, language, sandbox, number_block: number === undefined ? null : blockOf(number) };
    const { code, attempt } = await db.transaction(async (tx) => {
      const code = await codes.create(
        { purpose: VERIFY, length: request.codeLength, lifetimeSeconds: request.expiresInSeconds, sandbox },
        tx,
      );
      await verifications.create(
        {
          ...row,
          id: code.id,
          project_id: placer.projectId,
          brand_id: request.brandId,
          created_by_key: placer.keyId,
          request_id: placer.requestId,
          created_at: code.created_at,
        },
        tx,
      );
      return { code, attempt: await attempts.begin(code.id, first, code.created_at, tx) };
    });
    try {
      const order = { verification: { ...row, id: code.id }, lifetimeSeconds: request.expiresInSeconds, brand };
      await delivery.deliver(order, attempt, placer, true);
    } catch (error) {
      await codes.remove(code.id);
      throw error;
    }
    return this.get({ projectId: placer.projectId, sandboxOnly: placer.sandbox }, code.id);
  }

  /** @throws HatifError VERIFY_NOT_FOUND */
  async get(scope: CallScope, id: string): Promise<VerificationObject> {
    return presentVerification(await this.#find(scope, id), this.options.clock.now());
  }

  /** The verification that a request created before its process died. */
  async createdBy(projectId: string, keyId: string, requestId: string): Promise<VerificationObject | null> {
    const row = await this.options.verifications.createdBy(projectId, keyId, requestId);
    return row && presentVerification(row, this.options.clock.now());
  }

  /**
   * Enters a code. The entry that closes a verification returns its final state; later entries throw.
   * @throws HatifError VERIFY_NOT_FOUND, VERIFY_INVALID_CODE, VERIFY_MAX_ATTEMPTS, VERIFY_EXPIRED, VERIFY_BLOCKED
   */
  async check(scope: CallScope, id: string, given: string): Promise<CheckObject> {
    const row = await this.#find(scope, id);
    const digits = asciiDigits(given);
    if (!new RegExp(`^[0-9]{${row.length}}$`).test(digits)) {
      throw new HatifError('VERIFY_INVALID_CODE', { length: row.length });
    }
    const lanes: string[] = [];
    const entered = await this.options.codes.enter(row.id, VERIFY, digits, async (tx, code) => {
      lanes.push(...(await this.#complete(tx, code)));
    });
    this.options.onLanes(lanes);
    if (!entered) throw new HatifError('VERIFY_NOT_FOUND', { verification_id: id });
    const { outcome, code } = entered;
    if (outcome === 'closed' && code.state !== 'used') throw closed(code);
    return { verification_id: row.id, state: stateOf(code, this.options.clock.now()), verified: outcome === 'correct' };
  }

  /**
   * Sends a new code that replaces the previous one, over the first channel again. Sends nothing if the verification
   * has succeeded.
   * @throws HatifError VERIFY_NOT_FOUND, VERIFY_MAX_ATTEMPTS, VERIFY_EXPIRED, VERIFY_BLOCKED, VERIFY_RATE_LIMITED,
   * VERIFY_SEND_FAILED, LEG_REFUSALS, SANDBOX_*
   */
  async resend(scope: CallScope, id: string, placer: VerifyPlacer): Promise<VerificationObject> {
    const { codes, limits, attempts, sender, delivery, brands, clock } = this.options;
    const row = await this.#find(scope, id);
    if (row.state === 'used') return presentVerification(row, clock.now());
    if (stateOf(row, clock.now()) !== 'pending')
      throw closed({ ...row, state: row.state === 'pending' ? 'expired' : row.state });
    if (!row.sandbox && (await limits.isClosed(recipientOf(row)))) {
      await this.#block(row);
      throw new HatifError('VERIFY_BLOCKED');
    }
    const waitSeconds = codes.waitSeconds(row);
    if (waitSeconds > 0) throw new HatifError('VERIFY_RATE_LIMITED', { retry_after_seconds: waitSeconds });
    const brand = await brands.nameOf(row.brand_id, row.language);
    await assertReachable(sender, row, row.fallback, placer);
    if (!row.sandbox) await limits.count(recipientOf(row));
    const renewed = await codes.renew(row.id);
    // A concurrent request changed the verification: start again from its new state.
    if (!renewed) return this.resend(scope, id, placer);
    const attempt = await attempts.begin(row.id, row, clock.now());
    const order = { verification: row, lifetimeSeconds: renewed.lifetime_seconds, brand };
    await delivery.deliver(order, attempt, placer, true);
    return this.get(scope, id);
  }

  async #admit(
    target: Pick<VerificationRow, 'organization_id' | 'recipient' | 'end_user_ip'>,
    limits: SendLimits,
  ): Promise<void> {
    const recipient = recipientOf(target);
    if (await limits.isClosed(recipient)) throw new HatifError('VERIFY_BLOCKED');
    await limits.count(recipient);
  }

  async #block(row: VerificationView): Promise<void> {
    const lanes: string[] = [];
    await this.options.codes.revoke(row.id, async (tx, code) => {
      lanes.push(...(await this.#complete(tx, code)));
    });
    this.options.onLanes(lanes);
  }

  /** Records the event in the transaction that closed the verification. @returns delivery lanes of the event */
  async #complete(tx: Queryable, code: CodeRow): Promise<readonly string[]> {
    return completeVerifications(this.options.verifications, tx, [code.id], this.options.clock.now());
  }

  async #find(scope: CallScope, id: string): Promise<VerificationView> {
    const row = await this.options.verifications.get(scope, id);
    if (!row) throw new HatifError('VERIFY_NOT_FOUND', { verification_id: id });
    return row;
  }
}

/** Records the events of verifications that were just closed. @returns delivery lanes of the events */
export async function completeVerifications(
  verifications: Verifications,
  tx: Queryable,
  ids: readonly string[],
  now: Date,
): Promise<readonly string[]> {
  const lanes: string[] = [];
  for (const row of await verifications.of(tx, ids)) lanes.push(...(await recordEvent(tx, completedEvent(row, now))));
  return lanes;
}

/** The error for a code that can no longer be entered. */
function closed({
  state,
  expires_at,
  max_attempts,
}: Pick<CodeRow, 'state' | 'expires_at' | 'max_attempts'>): HatifError {
  if (state === 'revoked') return new HatifError('VERIFY_BLOCKED');
  if (state === 'spent') return new HatifError('VERIFY_MAX_ATTEMPTS', { max: max_attempts });
  return new HatifError('VERIFY_EXPIRED', { expired_at: isoTime(expires_at) });
}
