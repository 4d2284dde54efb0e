import type { TrunkRow } from '../../data/rows.js';
import type { TrunkState } from '../../model/trunks/state.js';
import type { Clock } from '../../ports/clock.js';
import type { Engine } from '../../ports/engine.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

export interface TrunkWatchOptions {
  readonly engineId: string;
  readonly engine: Pick<Engine, 'capabilities' | 'trunks' | 'status'>;
  /** The states in the database, which other processes show. */
  readonly table: { replace(engineId: string, states: ReadonlyMap<string, TrunkState>, at: Date): Promise<void> };
  /** The trunks, by whose names changes are logged. */
  readonly trunks: () => Promise<readonly Pick<TrunkRow, 'id' | 'name'>[]>;
  readonly clock: Clock;
  readonly log: Logger;
}

const EVERY_MS = 5_000;

/** Reads what an engine finds when it probes its trunks, logs changes, and stores them. */
export class TrunkWatch {
  #states: ReadonlyMap<string, TrunkState> = new Map();
  /** As last stored. */
  #stored: string | null = null;
  readonly #regular: PeriodicWork;

  constructor(private readonly options: TrunkWatchOptions) {
    const { clock, log } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'failed to read the states of trunks; will retry');
    this.#regular = new PeriodicWork({ work: () => this.update(), everyMs: EVERY_MS, clock, onFailure });
  }

  /** Does nothing if the engine has no trunks. */
  start(): void {
    if (this.options.engine.capabilities.has('trunks')) this.#regular.start();
  }

  stop(): Promise<void> {
    return this.#regular.stop();
  }

  /** Whether the trunk leaves the engine's probes unanswered. */
  isDown(trunkId: string): boolean {
    return this.#states.get(trunkId) === 'down';
  }

  /** @throws DatabaseUnavailable, EngineError */
  async update(): Promise<void> {
    const { engine, engineId, table, clock } = this.options;
    if (engine.status.status !== 'up') return;
    const before = this.#states;
    const states = (this.#states = await engine.trunks.states());
    await this.#report(before, states);
    const changed = JSON.stringify([...states].toSorted());
    if (changed === this.#stored) return;
    await table.replace(engineId, states, clock.now());
    this.#stored = changed;
  }

  async #report(before: ReadonlyMap<string, TrunkState>, now: ReadonlyMap<string, TrunkState>): Promise<void> {
    const { log, trunks } = this.options;
    const isNews = ([trunkId, state]: readonly [string, TrunkState]): boolean =>
      (state === 'down') !== (before.get(trunkId) === 'down');
    const news = [...now].filter(isNews);
    if (news.length === 0) return;
    // A change is logged even if the names cannot be read.
    const names = new Map((await trunks().catch(() => [])).map(({ id, name }) => [id, name]));
    for (const [trunkId, state] of news) {
      const trunk = names.get(trunkId) ?? trunkId;
      if (state === 'down') log.error({ trunk }, 'the trunk does not answer: calls through it fail');
      else log.info({ trunk, state }, 'the trunk is no longer silent');
    }
  }
}
