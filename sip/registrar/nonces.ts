import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/ports/clock.js';
import type { SipMemory } from '../../core/ports/sip/memory.js';

/** How long a nonce may be used. Afterwards a phone is challenged again, without asking its user. */
const LIFETIME_MS = 300_000;
/** Clocks of two processes may differ. */
const AHEAD_MS = 5_000;
/** A count that no request may reach (`nc` has eight hexadecimal digits). */
const WITHOUT_COUNT = 0xffff_ffff;

/**
 * - `fresh`: this side made it, and it was not used with this count
 * - `stale`: it is too old, or was used: a new one is due (RFC 7616 §3.3)
 * - `forged`: this side did not make it
 */
export type NonceState = 'fresh' | 'stale' | 'forged';

/**
 * Nonces of digest authentication. A nonce holds its time and a keyed hash, so any process of the edge recognizes one,
 * and challenges store nothing. A nonce that was used is remembered with its count, so that nobody repeats a request.
 */
export class Nonces {
  constructor(
    private readonly mac: (text: string) => string,
    private readonly memory: Pick<SipMemory, 'useNonce'>,
    private readonly clock: Clock,
  ) {}

  issue(): string {
    const text = `${this.clock.now().getTime().toString(36)}.${randomBytes(9).toString('base64url')}`;
    return `${text}.${this.#seal(text)}`;
  }

  /** What the nonce is worth, without using it. */
  stateOf(nonce: string): NonceState {
    const [, text, time = '', seal = ''] = /^(([\da-z]{1,11})\.[\w-]{12})\.([\w-]{22})$/.exec(nonce) ?? [];
    if (text === undefined || !isSame(seal, this.#seal(text))) return 'forged';
    const age = this.clock.now().getTime() - Number.parseInt(time, 36);
    return age > LIFETIME_MS || age < -AHEAD_MS ? 'stale' : 'fresh';
  }

  /**
   * Uses a fresh nonce.
   * @param count `nc`; null for a client that sends none, which can use each nonce once
   * @returns false if this request repeats another
   */
  use(nonce: string, count: string | null): Promise<boolean> {
    const number = count === null ? WITHOUT_COUNT : Number.parseInt(count, 16);
    return this.memory.useNonce(nonce, number, LIFETIME_MS + AHEAD_MS);
  }

  #seal(text: string): string {
    return this.mac(`nonce ${text}`).slice(0, 22);
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
