import { takeOrRefuse, type RateLimiter } from '../access/rate-limit.js';

const MOST = 10;
const WINDOW_SECONDS = 15 * 60;

/** Bounds how often a secret can be guessed, and how often mails can be asked for. */
export class Tries {
  constructor(private readonly limiter: RateLimiter) {}

  /** Counts one try. @throws HatifError RATE_LIMIT_EXCEEDED after ten in a quarter of an hour, unless told otherwise */
  async take(subject: string, most = MOST, windowSeconds = WINDOW_SECONDS): Promise<void> {
    await takeOrRefuse(this.limiter, `tries:${subject}`, most, windowSeconds);
  }

  /** Does not count the newest try after all: it succeeded. */
  async giveBack(subject: string, windowSeconds = WINDOW_SECONDS): Promise<void> {
    await this.limiter.giveBack(`tries:${subject}`, windowSeconds);
  }
}
