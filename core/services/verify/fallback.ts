import type { DueAttempt, SendAttempts } from '../../data/repositories/verification/send-attempts.js';
import type { ProjectRow, SendAttemptRow, SendFailure } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { FailureReason } from '../../model/messaging/failure.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { Brands } from '../brands/brands.js';
import { inBatches } from '../runtime/batches.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import { nextStep, type CodeDelivery } from './delivery.js';

export interface VerifyFallbackOptions {
  readonly attempts: SendAttempts;
  readonly delivery: CodeDelivery;
  readonly brands: Pick<Brands, 'nameOf'>;
  readonly project: (projectId: string) => Promise<Pick<ProjectRow, 'main_number'> | null>;
  readonly clock: Clock;
}

const INTERVAL_MS = 1_000;
const BATCH_SIZE = 100;

const REASONS: Partial<Record<NonNullable<DueAttempt['call_disposition']>, SendFailure>> = {
  busy: 'busy',
  no_answer: 'no_answer',
  rejected: 'rejected',
  invalid_number: 'invalid_number',
  // Answered, but the code could not be spoken.
  answered: 'not_sent',
};

/**
 * Records how the calls and messages that carry codes ended. If one did not reach the person, sends the code over the next channel of
 * the verification. PostgreSQL gives each attempt to a single process.
 */
export class VerifyFallback implements PeriodicTask {
  readonly name = 'verification fallback';
  readonly everyMs = INTERVAL_MS;
  readonly restFactor = 10;

  constructor(private readonly options: VerifyFallbackOptions) {}

  async run(isStopping: IsStopping = () => false): Promise<void> {
    await inBatches(BATCH_SIZE, (size) => this.#settle(size), isStopping);
  }

  async #settle(limit: number): Promise<number> {
    const { count, begun } = await this.#recordEnds(limit);
    for (const { due, attempt } of begun) await this.#send(due, attempt);
    return count;
  }

  async #recordEnds(limit: number) {
    const { attempts, clock } = this.options;
    const now = clock.now();
    return attempts.transaction(async (tx) => {
      const rows = await attempts.due(tx, now, limit);
      const begun: { due: DueAttempt; attempt: SendAttemptRow }[] = [];
      for (const due of rows) {
        const reason = failureOf(due);
        if (reason === null) {
          await attempts.sent(due, now, tx);
          continue;
        }
        if (due.message_status === 'queued') await attempts.cancelMessage(due, tx);
        const attempt = await attempts.fail(due, reason, nextStep(due, due), now, tx);
        if (attempt) begun.push({ due, attempt });
      }
      return { count: rows.length, begun };
    });
  }

  async #send(due: DueAttempt, attempt: SendAttemptRow): Promise<void> {
    const { delivery, brands, project } = this.options;
    const { project_id: projectId, organization_id: organizationId, lifetime_seconds: lifetimeSeconds } = due;
    const placer = {
      projectId,
      organizationId,
      mainNumber: (await project(projectId))?.main_number ?? null,
      keyId: due.created_by_key,
      requestId: newId(),
    };
    const brand = await brands.nameOf(due.brand_id, due.language);
    const verification = { ...due, id: due.verification_id };
    try {
      await delivery.deliver({ verification, lifetimeSeconds, brand }, attempt, placer, false);
    } catch (error) {
      // The attempts say why no channel was left.
      if (!(error instanceof HatifError)) throw error;
    }
  }
}

const MESSAGE_REASONS: Partial<Record<FailureReason, SendFailure>> = {
  invalid_recipient: 'invalid_number',
  unreachable: 'unreachable',
  expired: 'unreachable',
  blocked: 'rejected',
  opted_out: 'rejected',
};

/** Null if the code was spoken, or its message arrived as far as is known. */
function failureOf({
  is_spoken,
  call_id,
  call_disposition,
  message_status,
  message_reason,
}: DueAttempt): SendFailure | null {
  if (is_spoken) return null;
  if (message_status === 'queued') return 'not_sent';
  if (message_status === 'failed') return (message_reason && MESSAGE_REASONS[message_reason]) ?? 'not_sent';
  if (message_status !== null) return null;
  // The process died between the request and the call or mail.
  if (call_id === null) return 'not_sent';
  return (call_disposition && REASONS[call_disposition]) ?? 'unreachable';
}
