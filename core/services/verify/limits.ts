import type { Verifications } from '../../data/repositories/verification/verifications.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { RateLimiter } from '../access/rate-limit.js';

/** How much may be sent to whom. */
export interface SendingRules {
  /** Beginnings of numbers, E.164. */
  readonly blockedPrefixes: readonly string[];
  /** Sendings within ten minutes, in one organization. */
  readonly perRecipient: number;
  readonly perAddress: number;
  readonly perBlock: number;
  /** A block of numbers is closed when fewer than so many percent of at least so many codes of a day were entered; 0 percent never. */
  readonly fraudPercent: number;
  readonly fraudSends: number;
}

export interface Recipient {
  readonly organizationId: string;
  /** E.164, or an e-mail address. */
  readonly recipient: string;
  readonly block: string | null;
  readonly endUserIp: string | null;
}

export interface SendLimitsOptions {
  readonly rules: SendingRules;
  readonly limiter: RateLimiter;
  readonly verifications: Pick<Verifications, 'conversion'>;
  /** Recipients are counted under keyed hashes. */
  readonly cipher: Cipher;
  readonly clock: Clock;
}

const WINDOW_SECONDS = 600;
const FRAUD_WINDOW_MS = 24 * 60 * 60 * 1000;
const LAST_DIGITS = 4;

/** A number's neighbours: who is paid for calls and messages has whole ranges of numbers. */
export function blockOf(number: string): string {
  return number.slice(0, -LAST_DIGITS);
}

export function isBlocked(number: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => number.startsWith(prefix));
}

/** Keeps codes from being sent to people who did not ask, and to numbers that are paid for being called. */
export class SendLimits {
  constructor(private readonly options: SendLimitsOptions) {}

  /** Whether nothing may go there, whatever was sent before or not. */
  async isClosed({ organizationId, recipient, block }: Recipient): Promise<boolean> {
    const { rules, verifications, clock } = this.options;
    if (isBlocked(recipient, rules.blockedPrefixes)) return true;
    if (block === null || rules.fraudPercent === 0) return false;
    const now = clock.now();
    const since = new Date(now.getTime() - FRAUD_WINDOW_MS);
    const { over, entered } = await verifications.conversion(organizationId, block, since, now);
    return over >= rules.fraudSends && entered * 100 < over * rules.fraudPercent;
  }

  /** Count one sending. @throws HatifError VERIFY_RATE_LIMITED */
  async count({ organizationId, recipient, block, endUserIp }: Recipient): Promise<void> {
    const { rules } = this.options;
    const counted: [string, string | null, number][] = [
      ['address', endUserIp, rules.perAddress],
      ['block', block, rules.perBlock],
      ['recipient', recipient, rules.perRecipient],
    ];
    for (const [what, value, limit] of counted) {
      if (value !== null) await this.#take(`${organizationId}:${what}:${value}`, limit);
    }
  }

  async #take(subject: string, limit: number): Promise<void> {
    const { limiter, cipher } = this.options;
    const { allowed, resetSeconds } = await limiter.take(
      `verify:${cipher.mac('code', subject)}`,
      limit,
      WINDOW_SECONDS,
    );
    if (!allowed) throw new HatifError('VERIFY_RATE_LIMITED', { retry_after_seconds: resetSeconds });
  }
}
