import type { Clock, Timer } from '../../ports/clock.js';

export interface PeriodicWorkOptions {
  readonly work: () => Promise<unknown>;
  /** From the end of one run to the start of the next. */
  readonly everyMs: number;
  /** Makes slow work run less often: the pause is at least this multiple of the run's duration. */
  readonly restFactor?: number;
  readonly clock: Clock;
  /** Called when a run fails; the next run is scheduled as usual. */
  readonly onFailure: (error: unknown) => void;
}

/** Repeats a task, never running it twice at the same time. */
export class PeriodicWork {
  #timer: Timer | null = null;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly options: PeriodicWorkOptions) {}

  /** A running task may check this in order to end early. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  /** The first run starts after one interval. */
  start(): void {
    this.#schedule(this.options.everyMs);
  }

  /** The first run starts immediately. */
  startNow(): void {
    this.#running = this.#runAndSchedule();
  }

  /** Starts no further runs. Resolves when the current run has finished. */
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
