import type { CpuMs } from './cpu.js';

/** The result of one step at one rate. */
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
/** The last call may end this long after the step; a later end means that the calls fell behind. */
export const LATE_SECONDS = 1.5;
const MAX_STEPS = 9;

/**
 * Finds each climber's highest rate without a failure: doubles the rate until a step fails, then bisects, in at most
 * {@link MAX_STEPS} steps. The climbers take turns, one step each, so that other work on the machine slows all of them
 * equally. The first failed step is repeated once, because a disturbance may have caused the failure.
 */
export async function climbTogether(
  climbers: readonly Climber[],
  onStep: (name: string, step: Step) => void,
): Promise<Best[]> {
  const climbs = climbers.map((climber) => ({ climber, climb: new Climb(climber.firstRate) }));
  while (climbs.some(({ climb }) => !climb.isOver)) {
    for (const { climber, climb } of climbs) {
      if (climb.isOver) continue;
      const step = await climber.run(climb.rate);
      climb.take(step);
      onStep(climber.name, step);
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
    return isFine || this.#steps >= MAX_STEPS;
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
