import { setTimeout as pause } from 'node:timers/promises';
import type { Application } from './application.js';
import type { Outage } from './judges/evidence.js';
import { ADOPTING, KILL_POINTS, type KillPoint, type KillSwitch } from './kill-points.js';
import type { Random } from './random.js';

const RANDOM_TIME = 'at a random time';
const RANDOM_SHARE = 0.3;
/** The share of starts that are killed during adoption. Two in a row never are: otherwise no call would be served. */
const ADOPTION_SHARE = 0.15;
/** How long to wait for a kill point; some are rare. */
const POINT_LIMIT_MS = 6_000;
const START_LIMIT_MS = 30_000;
const MAX_PAUSE_MS = 4_000;

/** Kills the application repeatedly, at kill points and at random times, and restarts it at once. */
export class KillScheduler {
  readonly kills: Outage[] = [];
  #stopped = false;
  /** The points that were not used in this round. */
  #remaining: KillPoint[] = [];

  constructor(
    private readonly application: Application,
    private readonly killSwitch: KillSwitch,
    private readonly random: Random,
  ) {}

  /** Runs until {@link stop} or the number of kills; afterwards the application runs. */
  async run(maxKills: number): Promise<void> {
    const isActive = (): boolean => !this.#stopped && this.kills.length < maxKills;
    while (isActive()) {
      // It exited by itself, which is a loss. A process supervisor would restart it.
      if (!this.application.isRunning) await this.application.start();
      const point = await this.#killRunning();
      if (point === null) continue;
      let kill = await this.#recordKill(point);
      let started = this.application.start();
      if (isActive() && this.random.chance(ADOPTION_SHARE) && (await this.#killAdopting(started))) {
        kill = await this.#recordKill(ADOPTING.name);
        started = this.application.start();
      }
      await started;
      kill.readyAt = Date.now();
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  async #recordKill(point: string): Promise<Outage> {
    const kill: Outage = { what: 'process', point, at: Date.now(), readyAt: null };
    this.kills.push(kill);
    await this.application.exited();
    return kill;
  }

  /** @returns the point of the kill; null if it did not occur */
  async #killRunning(): Promise<string | null> {
    await pause(this.random.between(0, MAX_PAUSE_MS));
    if (this.#stopped) return null;
    if (this.random.chance(RANDOM_SHARE)) {
      await pause(this.random.between(0, MAX_PAUSE_MS));
      this.application.kill();
      return RANDOM_TIME;
    }
    if (this.#remaining.length === 0) this.#remaining = this.random.shuffled(KILL_POINTS);
    const point = this.#remaining.shift();
    return point && (await this.killSwitch.waitFor(point, POINT_LIMIT_MS)) ? point.name : null;
  }

  async #killAdopting(started: Promise<void>): Promise<boolean> {
    const hit = await this.killSwitch.waitFor(ADOPTING, START_LIMIT_MS);
    await started;
    return hit;
  }
}
