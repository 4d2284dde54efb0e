import type { Candidate } from '../../core/data/repositories/engines/engines.js';
import type { Logger } from '../../core/ports/logger.js';
import { processPart, PROCESS } from './owner-name.js';
import type { OwnedEngine } from './owned-engine.js';

/** The part of an engine that rebalancing needs. */
type Shareable = Pick<OwnedEngine, 'engineId' | 'isOwned' | 'liveCalls' | 'candidate' | 'pass'>;

interface RebalancerOptions {
  /** @returns the number of engines that the process owns */
  readonly countOf: (process: string) => Promise<number>;
  readonly log: Logger;
}

/**
 * Hands engines to processes that wait for them and own at least two fewer than this one: processes that start later
 * get their share, and no engine is handed back and forth.
 */
export class EngineRebalancer {
  /** The candidates at the last check, by engine. */
  #seen = new Map<string, Candidate>();

  constructor(private readonly options: RebalancerOptions) {}

  /**
   * Hands over one engine, if one is due: the one with the fewest live calls, since for two to three seconds no process
   * controls them.
   */
  async passOne(engines: readonly Shareable[]): Promise<void> {
    const owned = engines.filter((engine) => engine.isOwned).sort((a, b) => a.liveCalls - b.liveCalls);
    const before = this.#seen;
    this.#seen = new Map();
    if (owned.length < 2) return;
    for (const engine of owned) {
      const candidate = await engine.candidate();
      if (!candidate || processPart(candidate.process) === processPart(PROCESS)) continue;
      this.#seen.set(engine.engineId, candidate);
      if (!isAlive(candidate, before.get(engine.engineId))) continue;
      const theirs = await this.options.countOf(processPart(candidate.process));
      if (owned.length - theirs < 2) continue;
      const { process: to } = candidate;
      this.options.log.info({ engineId: engine.engineId, to }, 'the engine is handed to a process that owns fewer');
      await engine.pass();
      return;
    }
  }
}

/** The entry of a process that died stays for seconds; only a live process renews it. */
function isAlive(now: Candidate, before: Candidate | undefined): boolean {
  return now.process === before?.process && now.seen_at > before.seen_at;
}
