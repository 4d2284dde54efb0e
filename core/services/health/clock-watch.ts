import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

/** A clock to compare this machine's clock with. */
export interface ClockPeer {
  /** `database` or `engine`. */
  readonly name: string;
  /** The peer's current time. Rejects if the peer cannot be reached. */
  read(): Promise<Date>;
}

export interface ClockWatchOptions {
  readonly peers: readonly ClockPeer[];
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Receives how far this machine's clock is ahead of the peer's; negative if it is behind, null if the peer cannot be
   * reached.
   */
  readonly observe: (peer: string, skewSeconds: number | null) => void;
  /** A larger difference is logged; default 2 s. */
  readonly toleranceMs?: number;
  /** How often to compare; default one minute. */
  readonly everyMs?: number;
}

const TOLERANCE_MS = 2_000;
const EVERY_MS = 60_000;
/**
 * The sample with the shortest round trip is used: the error is at most half of the round trip (RFC 5905 §8 does the
 * same).
 */
const SAMPLES = 3;

/**
 * Compares this machine's clock with those of its peers. Leases do not depend on it (they use the database's clock and
 * a monotonic one), but timestamps of events and signatures do.
 */
export class ClockWatch {
  readonly #skewed = new Set<string>();
  readonly #regular: PeriodicWork;

  constructor(private readonly options: ClockWatchOptions) {
    const { clock, log, everyMs = EVERY_MS } = options;
    const onFailure = (err: unknown): void => log.error({ err }, 'failed to compare clocks');
    this.#regular = new PeriodicWork({ work: () => this.compareAll(), everyMs, clock, onFailure });
  }

  /** Compares now, and then periodically. */
  start(): void {
    this.#regular.startNow();
  }

  /** Lets a running comparison finish. */
  stop(): void {
    void this.#regular.stop();
  }

  /** Compares with every peer now. Never rejects: an unreachable peer is reported as null. */
  async compareAll(): Promise<void> {
    await Promise.all(this.options.peers.map((peer) => this.#compare(peer)));
  }

  async #compare(peer: ClockPeer): Promise<void> {
    const { log, observe, toleranceMs = TOLERANCE_MS } = this.options;
    let skewMs: number;
    try {
      skewMs = await this.#skewOf(peer);
    } catch {
      // The components that need the peer log its outage.
      observe(peer.name, null);
      return;
    }
    observe(peer.name, skewMs / 1000);
    const isSkewed = Math.abs(skewMs) > toleranceMs;
    if (isSkewed === this.#skewed.has(peer.name)) return;
    const details = { peer: peer.name, skewSeconds: Math.round(skewMs) / 1000 };
    if (isSkewed) {
      this.#skewed.add(peer.name);
      log.warn(details, 'this machine’s clock is skewed: timestamps of events and signatures are wrong by this much');
    } else {
      this.#skewed.delete(peer.name);
      log.info(details, 'clock skew is back within tolerance');
    }
  }

  async #skewOf(peer: ClockPeer): Promise<number> {
    const { clock } = this.options;
    let best: { readonly tookMs: number; readonly skewMs: number } | null = null;
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const [requestedAt, requestedMs] = [clock.now().getTime(), clock.monotonicMs()];
      const there = (await peer.read()).getTime();
      const tookMs = clock.monotonicMs() - requestedMs;
      if (best === null || tookMs < best.tookMs) best = { tookMs, skewMs: requestedAt + tookMs / 2 - there };
    }
    return best?.skewMs ?? 0;
  }
}
