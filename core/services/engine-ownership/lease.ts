import { DatabaseUnavailable } from '../../data/errors.js';
import type { EngineStatus } from '../../ports/engine.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

/** Engine leases as the database keeps them. */
export interface LeaseTable {
  /** @returns the new epoch, or null while another owner's lease runs. */
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
  /** How the engine is now; told to the others with each renewal. */
  readonly status: () => EngineStatus;
  /** The lease was lost or given back. */
  readonly onOver: () => void;
  /** The lease had run out (the database was away) and is held again, with nobody in between. */
  readonly onRegained: () => void;
}

/** An owner stops commanding this long before its lease ends by the database's clock. */
const SAFETY_MS = 2_000;

/**
 * The right to command one engine. Held in PostgreSQL under an epoch; stops by the monotonic clock when it could not be renewed,
 * so that a process that was asleep or cut off never commands beside its successor.
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

  /** The epoch to write with; null once the lease is known to be lost. The fence in every write guards what this cannot know. */
  get epoch(): number | null {
    return this.#epoch;
  }

  /** Whether the engine may be commanded: the lease is held and has not run out. */
  get mayCommand(): boolean {
    return this.#epoch !== null && this.options.clock.monotonicMs() < this.#deadlineMs;
  }

  /** Try once. @returns whether the lease is held now. */
  async acquire(): Promise<boolean> {
    const { table, engineId, owner, clock } = this.options;
    const askedAtMs = clock.monotonicMs();
    const epoch = await table.acquire(engineId, owner, this.#ttlMs);
    if (epoch === null) return false;
    this.#epoch = epoch;
    this.#deadlineMs = askedAtMs + this.#ttlMs - SAFETY_MS;
    this.#renewal = this.#renewRegularly();
    return true;
  }

  /** Renew now: tells the others of a change of the engine's status without waiting for the next turn. */
  async renew(): Promise<void> {
    const { table, engineId, owner, clock, status } = this.options;
    if (this.#epoch === null) return;
    const askedAtMs = clock.monotonicMs();
    try {
      if (await table.renew(engineId, owner, this.#epoch, this.#ttlMs, status())) {
        const lapsed = !this.mayCommand;
        this.#deadlineMs = askedAtMs + this.#ttlMs - SAFETY_MS;
        if (lapsed) this.options.onRegained();
      } else {
        this.lose('another process took the engine over');
      }
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.options.log.warn({ engineId }, 'the lease could not be renewed: the database is away');
    }
  }

  /** Give the engine back at once, so that a successor need not wait. */
  async release(): Promise<void> {
    const epoch = this.#epoch;
    this.#epoch = null;
    void this.#renewal?.stop();
    if (epoch === null) return;
    await this.options.table.release(this.options.engineId, this.options.owner, epoch).catch((error: unknown) => {
      this.options.log.warn({ err: error }, 'the lease could not be given back; it runs out by itself');
    });
    this.options.onOver();
  }

  /** The lease is known to be lost (a write was fenced off). */
  lose(why: string): void {
    if (this.#epoch === null) return;
    this.#epoch = null;
    void this.#renewal?.stop();
    this.options.log.error({ engineId: this.options.engineId, why }, 'the lease on the engine was lost');
    this.options.onOver();
  }

  #renewRegularly(): PeriodicWork {
    const { clock, log } = this.options;
    const onFailure = (err: unknown): void => log.error({ err }, 'renewing the lease failed');
    const renewal = new PeriodicWork({ work: () => this.renew(), everyMs: this.#renewEveryMs, clock, onFailure });
    renewal.start();
    return renewal;
  }
}
