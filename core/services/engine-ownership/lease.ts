import { DatabaseUnavailable } from '../../data/errors.js';
import type { EngineStatus } from '../../ports/engine.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

/** Engine leases in the database. */
export interface LeaseTable {
  /** @returns the new epoch, or null while another owner holds the lease. */
  acquire(engineId: string, owner: string, ttlMs: number): Promise<number | null>;
  renew(engineId: string, owner: string, epoch: number, ttlMs: number, status: EngineStatus): Promise<boolean>;
  release(engineId: string, owner: string, epoch: number): Promise<void>;
}

export interface LeaseOptions {
  readonly table: LeaseTable;
  readonly engineId: string;
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ttlMs?: number;
  readonly renewEveryMs?: number;
  /** The engine's current status; each renewal publishes it to the other processes. */
  readonly status: () => EngineStatus;
  /** The lease was lost or released. */
  readonly onOver: () => void;
  /**
   * The lease had lapsed because the database was unavailable, and is held again; no other process held it in between.
   */
  readonly onRegained: () => void;
}

/** The owner stops commanding this long before its lease ends by the database's clock. */
const SAFETY_MS = 2_000;

/**
 * The right to command one engine. The lease is a row in PostgreSQL with an epoch. If it cannot be renewed, it ends by
 * the monotonic clock, so that a process that was suspended or cut off never commands next to its successor.
 */
export class EngineLease {
  #epoch: number | null = null;
  #deadlineMs = 0;
  #renewal: PeriodicWork | null = null;
  readonly #ttlMs: number;
  readonly #renewEveryMs: number;

  constructor(private readonly options: LeaseOptions) {
    this.#ttlMs = options.ttlMs ?? 15_000;
    this.#renewEveryMs = options.renewEveryMs ?? 3_000;
  }

  /**
   * The epoch to write with; null once the lease is known to be lost. The fence in every write covers a loss that this
   * process has not noticed.
   */
  get epoch(): number | null {
    return this.#epoch;
  }

  /** Whether the engine may be commanded: the lease is held and has not lapsed. */
  get mayCommand(): boolean {
    return this.#epoch !== null && this.options.clock.monotonicMs() < this.#deadlineMs;
  }

  /** Tries once. @returns whether the lease is held now. */
  async acquire(): Promise<boolean> {
    const { table, engineId, owner, clock } = this.options;
    const requestedAtMs = clock.monotonicMs();
    const epoch = await table.acquire(engineId, owner, this.#ttlMs);
    if (epoch === null) return false;
    this.#epoch = epoch;
    this.#deadlineMs = requestedAtMs + this.#ttlMs - SAFETY_MS;
    this.#renewal = this.#renewRegularly();
    return true;
  }

  /** Renews now, to publish a change of the engine's status without waiting for the next renewal. */
  async renew(): Promise<void> {
    const { table, engineId, owner, clock, status } = this.options;
    if (this.#epoch === null) return;
    const requestedAtMs = clock.monotonicMs();
    try {
      if (await table.renew(engineId, owner, this.#epoch, this.#ttlMs, status())) {
        const lapsed = !this.mayCommand;
        this.#deadlineMs = requestedAtMs + this.#ttlMs - SAFETY_MS;
        if (lapsed) this.options.onRegained();
      } else {
        this.lose('another process took over the engine');
      }
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.options.log.warn({ engineId }, 'failed to renew the lease: the database is unavailable');
    }
  }

  /** Releases the lease, so that a successor need not wait. */
  async release(): Promise<void> {
    const epoch = this.#epoch;
    this.#epoch = null;
    void this.#renewal?.stop();
    if (epoch === null) return;
    await this.options.table.release(this.options.engineId, this.options.owner, epoch).catch((error: unknown) => {
      this.options.log.warn({ err: error }, 'failed to release the lease; it will expire');
    });
    this.options.onOver();
  }

  /** Marks the lease as lost, for example after a write was rejected by the fence. */
  lose(why: string): void {
    if (this.#epoch === null) return;
    this.#epoch = null;
    void this.#renewal?.stop();
    this.options.log.error({ engineId: this.options.engineId, why }, 'the lease on the engine was lost');
    this.options.onOver();
  }

  #renewRegularly(): PeriodicWork {
    const { clock, log } = this.options;
    const onFailure = (err: unknown): void => log.error({ err }, 'failed to renew the lease');
    const renewal = new PeriodicWork({ work: () => this.renew(), everyMs: this.#renewEveryMs, clock, onFailure });
    renewal.start();
    return renewal;
  }
}
