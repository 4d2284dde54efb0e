import type { Cipher } from '../../model/access/cipher.js';
import { takeOrRefuse, type RateLimiter } from '../access/rate-limit.js';

const WINDOW_SECONDS = 3600;
/** Maximum calls per window that speak codes: to one number across all projects, and on behalf of one project. */
const PER_NUMBER = 3;
const PER_PROJECT = 20;

/** Prevents the calls that prove ownership from being used to harass people. */
export class ClaimLimits {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly cipher: Cipher,
  ) {}

  /** @throws HatifError RATE_LIMIT_EXCEEDED */
  async take(e164: string, projectId: string): Promise<void> {
    await takeOrRefuse(this.limiter, `own-number:project:${projectId}`, PER_PROJECT, WINDOW_SECONDS);
    await takeOrRefuse(
      this.limiter,
      `own-number:number:${this.cipher.mac('code', `own-number/${e164}`)}`,
      PER_NUMBER,
      WINDOW_SECONDS,
    );
  }
}
