import type { Conversion } from '../../data/repositories/verification/codes.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { RateLimiter } from '../access/rate-limit.js';

/** Limits and blocks that protect against abuse of verification codes. */
export interface SendingRules {
  /** Blocked number prefixes, E.164. */
  readonly blockedPrefixes: readonly string[];
  /** Maximum sendings in ten minutes within one organization, per recipient, end-user address and number block. */
  readonly perRecipient: number;
  readonly perAddress: number;
  readonly perBlock: number;
  /**
   * A number block is closed if fewer than `fraudPercent` of at least `fraudSends` codes of the last 24 hours were
   * entered. 0 percent disables this.
   */
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

type CountedRecipient = Omit<Recipient, 'recipient'> & { readonly recipient: string | null };

export interface SendLimitsOptions {
  readonly rules: SendingRules;
  readonly limiter: RateLimiter;
  /** Sendings with another scope are counted separately. */
  readonly scope: 'verify' | 'widget';
  readonly conversion: (organizationId: string, block: string, since: Date, now: Date) => Promise<Conversion>;
  /** Recipients are counted under keyed hashes. */
  readonly cipher: Cipher;
  readonly clock: Clock;
}

const WINDOW_SECONDS = 600;
const FRAUD_WINDOW_MS = 24 * 60 * 60 * 1000;
const LAST_DIGITS = 4;

/**
 * The number's block, without its last four digits: fraudsters who earn on incoming calls and messages own whole
 * ranges.
 */
export function blockOf(number: string): string {
  return number.slice(0, -LAST_DIGITS);
}

export function isBlocked(number: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => number.startsWith(prefix));
}

/** Prevents sending to people who did not request it, and to numbers that earn money on incoming calls. */
export class SendLimits {
  constructor(private readonly options: SendLimitsOptions) {}

  /** Whether nothing may be sent to this recipient, regardless of rate limits. */
  async isClosed({ organizationId, recipient, block }: Recipient): Promise<boolean> {
    const { rules, conversion, clock } = this.options;
    if (isBlocked(recipient, rules.blockedPrefixes)) return true;
    if (block === null || rules.fraudPercent === 0) return false;
    const now = clock.now();
    const since = new Date(now.getTime() - FRAUD_WINDOW_MS);
    const { over, entered } = await conversion(organizationId, block, since, now);
    return over >= rules.fraudSends && entered * 100 < over * rules.fraudPercent;
  }

  /** Counts one sending; what is null is not counted. @throws HatifError VERIFY_RATE_LIMITED */
  async count({ organizationId, recipient, block, endUserIp }: CountedRecipient): Promise<void> {
    const { rules } = this.options;
    const counted: [string, string | null, number][] = [
      ['address', endUserIp, rules.perAddress],
      ['block', block, rules.perBlock],
      ['recipient', recipient, rules.perRecipient],
    ];
    for (const [scope, value, limit] of counted) {
      if (value !== null) await this.#take(`${organizationId}:${scope}:${value}`, limit);
    }
  }

  async #take(subject: string, limit: number): Promise<void> {
    const { limiter, cipher, scope } = this.options;
    const { allowed, resetSeconds } = await limiter.take(
      `${scope}:${cipher.mac('code', subject)}`,
      limit,
      WINDOW_SECONDS,
    );
    if (!allowed) throw new HatifError('VERIFY_RATE_LIMITED', { retry_after_seconds: resetSeconds });
  }
}
