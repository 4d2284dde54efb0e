import { HatifError } from '../../model/errors/index.js';
import type { RateLimiter } from '../access/rate-limit.js';

const MOST = 10;
const WINDOW_SECONDS = 15 * 60;

/** Bounds how often a secret can be guessed, and how often mails can be asked for. */
export class Tries {
  constructor(private readonly limiter: RateLimiter) {}

  /** Counts one try. @throws HatifError RATE_LIMIT_EXCEEDED after ten in a quarter of an hour, unless told otherwise */
  async take(subject: string, most = MOST, windowSeconds = WINDOW_SECONDS): Promise<void> {
    const { allowed, limit, resetSeconds } = await this.limiter.take(`tries:${subject}`, most, windowSeconds);
    if (allowed) return;
    throw new HatifError('RATE_LIMIT_EXCEEDED', {
      limit,
      window_seconds: windowSeconds,
      retry_after_seconds: resetSeconds,
    });
  }

  /** Does not count the newest try after all: it succeeded. */
  async giveBack(subject: string, windowSeconds = WINDOW_SECONDS): Promise<void> {
    await this.limiter.giveBack(`tries:${subject}`, windowSeconds);
  }
}
