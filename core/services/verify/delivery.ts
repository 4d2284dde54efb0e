import type { SendAttempts } from '../../data/repositories/verification/send-attempts.js';
import type { SendAttemptRow, SendFailure, SendStep, VerificationRow } from '../../data/rows.js';
import { HatifError, type ErrorCode } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Placer } from '../calls/placement.js';
import type { OneTimeCodes } from '../codes/one-time-codes.js';
import { blockOf, type Recipient, type SendLimits } from './limits.js';
import type { CodeSender } from './sender.js';

/** A code that is to reach a person, over the first channel that works. */
export interface Delivery {
  readonly verification: Pick<VerificationRow, 'id' | 'fallback' | 'language' | 'sandbox'> &
    Pick<VerificationRow, 'organization_id' | 'end_user_ip'>;
  readonly lifetimeSeconds: number;
  readonly brand: string | null;
}

export interface CodeDeliveryOptions {
  readonly attempts: SendAttempts;
  readonly codes: OneTimeCodes;
  readonly sender: CodeSender;
  readonly limits: SendLimits;
  readonly clock: Clock;
}

const REASONS: Partial<Record<ErrorCode, SendFailure>> = {
  OUTBOUND_BLOCKED: 'limited',
  CALL_VELOCITY_EXCEEDED: 'limited',
  MESSAGE_VELOCITY_EXCEEDED: 'limited',
  VERIFY_RATE_LIMITED: 'limited',
  VERIFY_BLOCKED: 'blocked',
  VERIFY_SEND_FAILED: 'not_sent',
  CHANNEL_NOT_CONFIGURED: 'not_configured',
};

/** Sends codes, over the next channel if one fails, and records each attempt. */
export class CodeDelivery {
  constructor(private readonly options: CodeDeliveryOptions) {}

  /**
   * Sends over the channel of a begun attempt, else over those after it.
   * @param admitted whether the limits have counted this first attempt
   * @throws HatifError the first failure, if no channel accepts the code
   */
  async deliver(delivery: Delivery, begun: SendAttemptRow, placer: Placer, admitted: boolean): Promise<void> {
    const { attempts, sender, clock } = this.options;
    const { verification, lifetimeSeconds, brand } = delivery;
    let failure: HatifError | null = null;
    for (let attempt: SendAttemptRow | null = begun; attempt;) {
      const { channel, recipient } = attempt;
      try {
        if (attempt !== begun || !admitted) await this.#admitNext(delivery, attempt);
        const { id, language, sandbox } = verification;
        const sending = { verification: { id, channel, recipient, language, sandbox }, lifetimeSeconds, brand };
        const carrier = await sender.send(sending, placer);
        await (carrier === null ? attempts.sent(attempt, clock.now()) : attempts.setCarrier(attempt, carrier));
        return;
      } catch (error) {
        if (!isHatifError(error)) throw error;
        failure ??= error;
        attempt = await attempts.fail(attempt, reasonOf(error), nextStep(attempt, verification), clock.now());
      }
    }
    if (failure) throw failure;
  }

  /** Another channel is another sending: limits count it, and the code's lifetime begins again. */
  async #admitNext({ verification }: Delivery, { recipient }: SendAttemptRow): Promise<void> {
    const { limits, codes } = this.options;
    if (!verification.sandbox) {
      const subject = recipientOf({ ...verification, recipient });
      if (await limits.isClosed(subject)) throw new HatifError('VERIFY_BLOCKED');
      await limits.count(subject);
    }
    await codes.restart(verification.id);
  }
}

export function nextStep(
  { step }: SendAttemptRow,
  { fallback }: Pick<VerificationRow, 'fallback'>,
): SendStep | undefined {
  return fallback[step];
}

export function recipientOf({
  organization_id,
  recipient,
  end_user_ip,
}: Pick<VerificationRow, 'organization_id' | 'recipient' | 'end_user_ip'>): Recipient {
  const block = recipient.includes('@') ? null : blockOf(recipient);
  return { organizationId: organization_id, recipient, block, endUserIp: end_user_ip };
}

function isHatifError(error: unknown): error is HatifError {
  return error instanceof HatifError;
}

/** Credit, caps and permissions are refusals of the project, not of the recipient. */
function reasonOf({ code }: HatifError): SendFailure {
  return REASONS[code] ?? 'refused';
}
