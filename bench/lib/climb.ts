import type { CpuMs } from './cpu.js';

/** What became of one step at one rate. */
export interface Step {
  readonly rate: number;
  readonly calls: number;
  readonly clean: boolean;
  /** Why it was not clean. */
  readonly trouble: string;
  readonly cpu: CpuMs;
}

export interface Climber {
  readonly name: string;
  readonly firstRate: number;
  readonly run: (rate: number) => Promise<Step>;
}

/** A climber's highest clean step; null when no rate was clean. */
export type Best = Step | null;

export const STEP_SECONDS = 3;
/** By so much the last call may end after the step: whoever is later than this falls behind. */
export const LATE_SECONDS = 1.5;
const MOST_STEPS = 9;

/**
 * Finds each climber's highest rate without a failure: doubles it until a step fails, then halves the gap, in {@link MOST_STEPS} steps at
 * most. The climbers take turns, a step each, so that whatever else runs on the machine meanwhile slows all of them alike. A first failure
 * is tried once more, since it can have spoilt that one step.
 */
export async function climbTogether(
  climbers: readonly Climber[],
  told: (name: string, step: Step) => void,
): Promise<Best[]> {
  const climbs = climbers.map((climber) => ({ climber, climb: new Climb(climber.firstRate) }));
  while (climbs.some(({ climb }) => !climb.isOver)) {
    for (const { climber, climb } of climbs) {
      if (climb.isOver) continue;
      const step = await climber.run(climb.rate);
      climb.take(step);
      told(climber.name, step);
    }
  }
  return climbs.map(({ climb }) => climb.best);
}

class Climb {
  best: Best = null;
  #failedRate = Infinity;
  #hasSecondTry = true;
  #steps = 0;

  constructor(public rate: number) {}

  get isOver(): boolean {
    // Finer than this is noise.
    const isFine =
      this.#failedRate !== Infinity && this.#failedRate - this.#cleanRate <= Math.max(5, this.#failedRate / 12);
    return isFine || this.#steps >= MOST_STEPS;
  }

  take(step: Step): void {
    this.#steps += 1;
    if (step.clean) {
      this.best = step;
    } else if (this.#hasSecondTry) {
      this.#hasSecondTry = false;
      return;
    } else {
      this.#failedRate = step.rate;
    }
    this.rate =
      this.#failedRate === Infinity ? this.#cleanRate * 2 : Math.round((this.#cleanRate + this.#failedRate) / 2);
  }

  get #cleanRate(): number {
    return this.best?.rate ?? 0;
  }
}
