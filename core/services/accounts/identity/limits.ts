import { HatifError } from '../../../model/errors/index.js';
import type { RateLimiter } from '../../access/rate-limit.js';

const WINDOW_SECONDS = 3600;
/** Maximum attempts per window: of one user, and for one number across all users. */
const PER_USER = 10;
const PER_IDENTITY = 5;

/** Each attempt makes a telephone ring: this prevents that people are harassed with them. */
export class IdentityLimits {
  constructor(private readonly limiter: RateLimiter) {}

  /** @throws HatifError RATE_LIMIT_EXCEEDED */
  async take(userId: string, hash: string): Promise<void> {
    await this.#take(`national-id:user:${userId}`, PER_USER);
    await this.#take(`national-id:identity:${hash}`, PER_IDENTITY);
  }

  async #take(subject: string, limit: number): Promise<void> {
    const { allowed, resetSeconds } = await this.limiter.take(subject, limit, WINDOW_SECONDS);
    if (allowed) return;
    throw new HatifError('RATE_LIMIT_EXCEEDED', {
      limit,
      window_seconds: WINDOW_SECONDS,
      retry_after_seconds: resetSeconds,
    });
  }
}
