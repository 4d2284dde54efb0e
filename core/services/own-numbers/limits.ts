import type { Cipher } from '../../model/access/cipher.js';
import { HatifError } from '../../model/errors/index.js';
import type { RateLimiter } from '../access/rate-limit.js';

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
    await this.#take(`own-number:project:${projectId}`, PER_PROJECT);
    await this.#take(`own-number:number:${this.cipher.mac('code', `own-number/${e164}`)}`, PER_NUMBER);
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
