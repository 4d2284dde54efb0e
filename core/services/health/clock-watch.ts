import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

/** Another clock that ours is compared with. */
export interface ClockPeer {
  /** `database`, `engine`. */
  readonly name: string;
  /** The time there, now. Rejects when it cannot be asked. */
  read(): Promise<Date>;
}

export interface ClockWatchOptions {
  readonly peers: readonly ClockPeer[];
  readonly clock: Clock;
  readonly log: Logger;
  /** How far our clock is ahead of the peer's; negative behind, null while it cannot be asked. */
  readonly observe: (peer: string, skewSeconds: number | null) => void;
  /** Beyond this it is said in the log; 2 s by default. */
  readonly toleranceMs?: number;
  /** How often the clocks are compared; a minute by default. */
  readonly everyMs?: number;
}

const TOLERANCE_MS = 2_000;
const EVERY_MS = 60_000;
/** Of so many answers the quickest is taken: half of the way is all that is not known (RFC 5905 §8 does the same). */
const SAMPLES = 3;

/**
 * Compares this process's clock with the others' that calls are told by. Leases do not depend on it (they use the database's clock and a
 * monotonic one), but times of events and signatures do.
 */
export class ClockWatch {
  readonly #skewed = new Set<string>();
  readonly #regular: PeriodicWork;

  constructor(private readonly options: ClockWatchOptions) {
    const { clock, log, everyMs = EVERY_MS } = options;
    const onFailure = (err: unknown): void => log.error({ err }, 'the clocks could not be compared');
    this.#regular = new PeriodicWork({ work: () => this.look(), everyMs, clock, onFailure });
  }

  /** Compares at once, and regularly from then on. */
  start(): void {
    this.#regular.startNow();
  }

  /** A comparison that is under way goes on, and is the last. */
  stop(): void {
    void this.#regular.stop();
  }

  /** Compare with every peer now. Never rejects: a peer that does not answer is told as such. */
  async look(): Promise<void> {
    await Promise.all(this.options.peers.map((peer) => this.#compare(peer)));
  }

  async #compare(peer: ClockPeer): Promise<void> {
    const { log, observe, toleranceMs = TOLERANCE_MS } = this.options;
    let skewMs: number;
    try {
      skewMs = await this.#skewOf(peer);
    } catch {
      // That the peer is away is said by those who need it.
      observe(peer.name, null);
      return;
    }
    observe(peer.name, skewMs / 1000);
    const isSkewed = Math.abs(skewMs) > toleranceMs;
    if (isSkewed === this.#skewed.has(peer.name)) return;
    const about = { peer: peer.name, skewSeconds: Math.round(skewMs) / 1000 };
    if (isSkewed) {
      this.#skewed.add(peer.name);
      log.warn(about, 'this machine’s clock and another differ: times of events and signatures are wrong by as much');
    } else {
      this.#skewed.delete(peer.name);
      log.info(about, 'the clocks agree again');
    }
  }

  async #skewOf(peer: ClockPeer): Promise<number> {
    const { clock } = this.options;
    let best: { readonly tookMs: number; readonly skewMs: number } | null = null;
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const [askedAt, askedMs] = [clock.now().getTime(), clock.monotonicMs()];
      const there = (await peer.read()).getTime();
      const tookMs = clock.monotonicMs() - askedMs;
      if (best === null || tookMs < best.tookMs) best = { tookMs, skewMs: askedAt + tookMs / 2 - there };
    }
    return best?.skewMs ?? 0;
  }
}
