import type { SipRefusals } from '../../core/data/repositories/sip/refusals.js';
import type { SipRefusalRow } from '../../core/data/rows.js';
import type { SipRefusal } from '../../core/model/sip-edge.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Countries } from '../../core/ports/sip/countries.js';

/** More sources than this are counted together until they are written: an attack may come from everywhere. */
const MOST_SOURCES = 500;
const HOUR_MS = 3_600_000;

export interface RefusalCountsOptions {
  readonly refusals: Pick<SipRefusals, 'add' | 'removeOld'>;
  readonly countries: Pick<Countries, 'of'>;
  readonly observe: (reason: SipRefusal) => void;
  readonly clock: Clock;
}

/** Counts the requests that are not served, and writes the counts from time to time: a flood costs the database little. */
export class RefusalCounts {
  #counts = new Map<string, SipRefusalRow>();

  constructor(private readonly options: RefusalCountsOptions) {}

  note(reason: SipRefusal, host: string): void {
    const { observe, countries, clock } = this.options;
    observe(reason);
    const now = clock.now();
    const hour = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
    const keyOf = (source: string): string => `${hour.getTime()} ${reason} ${source}`;
    const source = this.#counts.has(keyOf(host)) || this.#counts.size < MOST_SOURCES ? host : '*';
    const known = this.#counts.get(keyOf(source));
    this.#counts.set(keyOf(source), {
      ...{ hour, reason, source, last_at: now },
      country: known ? known.country : source === '*' ? null : countries.of(host),
      requests: (known?.requests ?? 0) + 1,
    });
  }

  /** @throws DatabaseUnavailable, and then counts on */
  async write(): Promise<void> {
    const written = this.#counts;
    this.#counts = new Map();
    try {
      await this.options.refusals.add([...written.values()]);
    } catch (error) {
      // What was counted meanwhile is added at the next time.
      if (this.#counts.size === 0) this.#counts = written;
      throw error;
    }
  }

  /** Forgets what is old. */
  sweep(): Promise<void> {
    return this.options.refusals.removeOld();
  }
}
