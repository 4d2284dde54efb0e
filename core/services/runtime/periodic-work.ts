import type { Clock, Timer } from '../../ports/clock.js';

export interface PeriodicWorkOptions {
  readonly work: () => Promise<unknown>;
  /** From the end of one run to the beginning of the next. */
  readonly everyMs: number;
  /** Work that takes long is done less often: it rests for so many times as long as it took, if that is more. */
  readonly restFactor?: number;
  readonly clock: Clock;
  /** A run failed; the next comes in its time all the same. */
  readonly onFailure: (error: unknown) => void;
}

/** Does a piece of work again and again, never twice at once. */
export class PeriodicWork {
  #timer: Timer | null = null;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly options: PeriodicWorkOptions) {}

  /** A run that is under way may end early. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  /** The first run comes after the interval. */
  start(): void {
    this.#schedule(this.options.everyMs);
  }

  /** The first run begins at once. */
  startNow(): void {
    this.#running = this.#runAndSchedule();
  }

  /** No run begins any more. Resolves when the one that is under way is through. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  #schedule(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = this.options.clock.after(delayMs, () => this.startNow());
  }

  async #runAndSchedule(): Promise<void> {
    const { work, everyMs, restFactor = 0, clock, onFailure } = this.options;
    const startedAtMs = clock.monotonicMs();
    try {
      await work();
    } catch (error) {
      onFailure(error);
    }
    this.#schedule(Math.max(everyMs, (clock.monotonicMs() - startedAtMs) * restFactor));
  }
}
