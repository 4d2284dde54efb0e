import { takeOrRefuse, type RateLimiter } from '../../access/rate-limit.js';

const WINDOW_SECONDS = 3600;
/** Maximum attempts per window: of one user, and for one number across all users. */
const PER_USER = 10;
const PER_IDENTITY = 5;

/** Each attempt makes a telephone ring: this prevents that people are harassed with them. */
export class IdentityLimits {
  constructor(private readonly limiter: RateLimiter) {}

  /** @throws HatifError RATE_LIMIT_EXCEEDED */
  async take(userId: string, hash: string): Promise<void> {
    await takeOrRefuse(this.limiter, `national-id:user:${userId}`, PER_USER, WINDOW_SECONDS);
    await takeOrRefuse(this.limiter, `national-id:identity:${hash}`, PER_IDENTITY, WINDOW_SECONDS);
  }
}
