import { setTimeout as pause } from 'node:timers/promises';
import type { Application } from './application.js';
import type { Kill } from './judges/evidence.js';
import { ADOPTING, KILL_POINTS, type KillPoint, type KillSwitch } from './kill-points.js';
import type { Random } from './random.js';

const RANDOM_TIME = 'at a random time';
const RANDOM_SHARE = 0.3;
/** Of the starts that are killed before they have taken all calls over; never two in a row, else nobody is ever served. */
const EARLY_SHARE = 0.15;
/** So long what a point names is waited for; some moments are rare. */
const PASSES_WITHIN_MS = 6_000;
const STARTS_WITHIN_MS = 30_000;
const LONGEST_REST_MS = 4_000;

/** Kills the application again and again, by name and by time, and starts it again at once. */
export class Director {
  readonly kills: Kill[] = [];
  #stopped = false;
  /** The points that have not had their turn in this round. */
  #turns: KillPoint[] = [];

  constructor(
    private readonly application: Application,
    private readonly killSwitch: KillSwitch,
    private readonly random: Random,
  ) {}

  /** Goes on until {@link stop} or so many kills; afterwards the application runs. */
  async run(most: number): Promise<void> {
    const goesOn = (): boolean => !this.#stopped && this.kills.length < most;
    while (goesOn()) {
      // It ended by itself: that is a loss, and whoever watches over it starts it again.
      if (!this.application.isRunning) await this.application.start();
      const point = await this.#killServing();
      if (point === null) continue;
      let kill = await this.#killed(point);
      let started = this.application.start();
      if (goesOn() && this.random.chance(EARLY_SHARE) && (await this.#killStarting(started))) {
        kill = await this.#killed(ADOPTING.name);
        started = this.application.start();
      }
      await started;
      kill.readyAt = Date.now();
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  async #killed(point: string): Promise<Kill> {
    const kill: Kill = { what: 'process', point, at: Date.now(), readyAt: null };
    this.kills.push(kill);
    await this.application.gone();
    return kill;
  }

  /** @returns what it was killed at, or null when that moment did not come. */
  async #killServing(): Promise<string | null> {
    await pause(this.random.between(0, LONGEST_REST_MS));
    if (this.#stopped) return null;
    if (this.random.chance(RANDOM_SHARE)) {
      await pause(this.random.between(0, LONGEST_REST_MS));
      this.application.kill();
      return RANDOM_TIME;
    }
    if (this.#turns.length === 0) this.#turns = this.random.shuffled(KILL_POINTS);
    const point = this.#turns.shift();
    return point && (await this.killSwitch.set(point, PASSES_WITHIN_MS)) ? point.name : null;
  }

  async #killStarting(started: Promise<void>): Promise<boolean> {
    const hit = await this.killSwitch.set(ADOPTING, STARTS_WITHIN_MS);
    await started;
    return hit;
  }
}
