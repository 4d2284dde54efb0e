import { DatabaseUnavailable, FencedError, FinalCallError, StaleCallError } from '../../data/errors.js';
import type { CallEffect, CallWriter } from '../../data/call-writer.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';

/** First and longest wait between tries while the database is away. */
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

/**
 * Writes what happened to calls, and keeps trying while the database is away: the calls go on in the engine meanwhile, and each
 * call's mailbox holds its later events back, so nothing is lost and nothing overtakes.
 */
export class Committer {
  constructor(
    private readonly writer: Pick<CallWriter, 'commit'>,
    private readonly clock: Clock,
    private readonly log: Logger,
    /** Another process owns the engine now: this one must stop commanding it. */
    private readonly onFenced: () => void,
  ) {}

  /** @returns false when the effect was refused for good: the engine has another owner, or the call was already over. */
  async commit(effect: CallEffect): Promise<boolean> {
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)) {
      try {
        await this.writer.commit(effect);
        return true;
      } catch (error) {
        if (error instanceof FencedError) {
          this.onFenced();
          return false;
        }
        if (error instanceof FinalCallError || error instanceof StaleCallError) {
          this.log.error({ err: error, callId: effect.call.id }, 'a change of a call was refused');
          return false;
        }
        if (!(error instanceof DatabaseUnavailable)) throw error;
        this.log.warn({ callId: effect.call.id, waitMs }, 'the database is away; the change waits');
        await new Promise<void>((resolve) => {
          this.clock.after(waitMs, resolve);
        });
      }
    }
  }
}
