import type { SipContacts } from '../../core/data/repositories/sip/contacts.js';
import type { SipLockouts } from '../../core/data/repositories/sip/lockouts.js';
import type { SipNetworks } from '../../core/data/repositories/sip/networks.js';
import type { SipLockoutRow } from '../../core/data/rows.js';
import type { SipRefusal } from '../../core/model/sip-edge.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import type { Countries } from '../../core/ports/sip/countries.js';
import type { SipMemory } from '../../core/ports/sip/memory.js';
import type { SipSource } from '../message/request.js';
import { NetworkRules } from './network-rules.js';

/** Wrong passwords within this time lead to a lockout. */
const WINDOW_MS = 600_000;
const WRONG_PER_ADDRESS = 10;
/** A phone of the address is registered: an office, where one telephone may have an old password. */
const WRONG_PER_OFFICE = 100;
const WRONG_PER_USER = 20;
const LONGEST_USER = 64;
const FIRST_SECONDS = 60;
const LONGEST_SECONDS = 86_400;
/** More lockouts than this are not held in memory: the oldest ones then end early in this process. */
const MAX_HELD = 100_000;

/** Programs that look for SIP servers and passwords, as they name themselves. */
const SCANNERS =
  /friendly-scanner|sipvicious|sipcli|sip-scan|sipscan|sundayddr|pplsip|iwar|smap\b|vaxsipuseragent|siparmyknife|sipptk/i;

/** A lockout, by the monotonic clock of this process. */
interface Held {
  readonly untilMs: number;
  /** When this process wrote it; later than any time while it is being written, earlier than any if it was read. */
  readonly sinceMs: number;
}

export interface GuardOptions {
  readonly lockouts: Pick<SipLockouts, 'lock' | 'current' | 'removeForgotten'>;
  readonly networks: Pick<SipNetworks, 'list'>;
  readonly contacts: Pick<SipContacts, 'isSource'>;
  readonly memory: Pick<SipMemory, 'count' | 'remove' | 'announce'>;
  readonly countries: Countries;
  readonly observe: (lockout: SipLockoutRow) => void;
  /** Tells whom it concerns that an agent's user was locked out. */
  readonly reportToAgent: (lockout: SipLockoutRow) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Keeps strangers out: who guesses passwords or scans is not answered for a time, which doubles each time. A user is
 * locked out only at addresses where none of the user's phones is registered: otherwise anybody could lock out anybody.
 */
export class Guard {
  /** By kind and subject. */
  #held = new Map<string, Held>();
  #networks: NetworkRules;
  #knowsCountries = false;
  #reading: Promise<void> = Promise.resolve();
  #nextReading: Promise<void> | null = null;

  constructor(private readonly options: GuardOptions) {
    this.#networks = new NetworkRules([], options.countries);
  }

  /** Reads the lockouts and lists, which other processes and commands change. Many requests at a time read once. */
  refresh(): Promise<void> {
    this.#nextReading ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#nextReading = null;
        this.#reading = this.#read();
        return this.#reading;
      });
    return this.#nextReading;
  }

  async #read(): Promise<void> {
    const { lockouts, networks, clock } = this.options;
    const beganMs = clock.monotonicMs();
    const [rows, listed] = await Promise.all([lockouts.current(MAX_HELD), networks.list()]);
    const offsetMs = clock.monotonicMs() - clock.now().getTime();
    const held = new Map(
      rows.map((row) => [keyOf(row), { untilMs: row.locked_until.getTime() + offsetMs, sinceMs: -Infinity }]),
    );
    // The rows may have been read before these were written.
    for (const [key, one] of this.#held) if (one.sinceMs >= beganMs && !held.has(key)) held.set(key, one);
    this.#held = held;
    this.#networks = new NetworkRules(listed, this.options.countries);
    if (!this.#networks.hasCountries || this.#knowsCountries) return;
    try {
      await this.options.countries.load();
      this.#knowsCountries = true;
    } catch (error) {
      this.options.log.error(
        { err: error },
        'the countries of addresses cannot be read: rules for countries do not apply',
      );
    }
  }

  /** Deletes lockouts that are over for long. */
  sweep(): Promise<void> {
    return this.options.lockouts.removeForgotten();
  }

  /** Why requests of this address are not served; null if they are. Costs no look-up. */
  refusalOf({ host }: SipSource): SipRefusal | null {
    const rule = this.#networks.ruleOf(host);
    if (rule !== null) return rule === 'allow' ? null : 'denied';
    if (this.#isHeld({ kind: 'address', subject: host })) return 'locked_out';
    return !this.#knowsCountries || this.#networks.isCountryServed(host) ? null : 'country';
  }

  /** Whether the address is on the list of allowed networks. */
  isAllowed({ host }: SipSource): boolean {
    return this.#networks.ruleOf(host) === 'allow';
  }

  /** @param texts what a program says of itself, or of its caller */
  isScanner(...texts: readonly (string | null)[]): boolean {
    return texts.some((text) => text !== null && SCANNERS.test(text));
  }

  isUserLocked(user: string): boolean {
    return this.#isHeld({ kind: 'user', subject: user });
  }

  /** Locks the address out at once, unless one of the platform's phones is there. */
  async sawScanner({ host }: SipSource): Promise<void> {
    if (this.#networks.ruleOf(host) === 'allow' || (await this.#isOffice(host))) return;
    await this.#lock({ kind: 'address', subject: host, reason: 'scanner' });
  }

  /** @param source null if its address says nothing about who guesses */
  async sawWrongPassword(source: SipSource | null, user: string): Promise<void> {
    const { memory } = this.options;
    const host = source?.host ?? '';
    const [ofAddress, ofUser] = await Promise.all([
      source === null ? 0 : memory.count(`wrong:address:${host}`, WINDOW_MS),
      // Nobody has a longer name; a stranger must not fill the memory.
      user.length > LONGEST_USER ? 0 : memory.count(`wrong:user:${user}`, WINDOW_MS),
    ]);
    if (ofUser >= WRONG_PER_USER) await this.#lock({ kind: 'user', subject: user, reason: 'password' });
    if (ofAddress < WRONG_PER_ADDRESS || this.#networks.ruleOf(host) === 'allow') return;
    if (ofAddress < WRONG_PER_OFFICE && (await this.#isOffice(host))) return;
    await this.#lock({ kind: 'address', subject: host, reason: 'password' });
  }

  async #lock(subject: Pick<SipLockoutRow, 'kind' | 'subject' | 'reason'>): Promise<void> {
    const { lockouts, memory, clock, log, observe } = this.options;
    if (this.#isHeld(subject)) return;
    // Held before it is written: a flood would otherwise write once for each request of the meantime.
    this.#held.set(keyOf(subject), { untilMs: clock.monotonicMs() + FIRST_SECONDS * 1000, sinceMs: Infinity });
    try {
      const row = await lockouts.lock(subject, FIRST_SECONDS, LONGEST_SECONDS);
      const left = row.locked_until.getTime() - clock.now().getTime();
      this.#held.set(keyOf(subject), { untilMs: clock.monotonicMs() + left, sinceMs: clock.monotonicMs() });
      if (row.is_new) {
        log.warn({ ...subject, times: row.times, seconds: Math.round(left / 1000) }, 'locked out of SIP');
        observe(row);
        if (row.kind === 'user') void this.#report(row);
      }
    } catch (error) {
      log.warn({ err: error, ...subject }, 'a lockout could not be stored; it holds in this process for a while');
      this.#held.set(keyOf(subject), {
        untilMs: clock.monotonicMs() + FIRST_SECONDS * 1000,
        sinceMs: clock.monotonicMs(),
      });
    }
    await memory.remove(`wrong:${subject.kind}:${subject.subject}`);
    await memory.announce({ type: 'guards' });
  }

  async #report(row: SipLockoutRow): Promise<void> {
    try {
      await this.options.reportToAgent(row);
    } catch (error) {
      this.options.log.warn({ err: error, user: row.subject }, 'a lockout could not be reported');
    }
  }

  #isHeld(subject: Pick<SipLockoutRow, 'kind' | 'subject'>): boolean {
    const held = this.#held.get(keyOf(subject));
    return held !== undefined && held.untilMs > this.options.clock.monotonicMs();
  }

  async #isOffice(host: string): Promise<boolean> {
    try {
      return await this.options.contacts.isSource(host);
    } catch (error) {
      this.options.log.warn({ err: error }, 'cannot tell whether phones are registered from an address');
      return true;
    }
  }
}

function keyOf({ kind, subject }: Pick<SipLockoutRow, 'kind' | 'subject'>): string {
  return `${kind} ${subject}`;
}
