import type { Clock, Timer } from '../../core/ports/clock.js';

interface Scheduled {
  readonly atMs: number;
  readonly run: () => void;
}

/** A clock that only moves when it is driven: for tests, and for simulations of days in milliseconds. */
export class VirtualClock implements Clock {
  readonly #startMs: number;
  #elapsedMs = 0;
  /** Sorted by due time, then by order of scheduling. */
  readonly #timers: Scheduled[] = [];

  constructor(start = new Date('2026-01-01T00:00:00.000Z')) {
    this.#startMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#startMs + this.#elapsedMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, run: () => void): Timer {
    const timer: Scheduled = { atMs: this.#elapsedMs + Math.max(0, delayMs), run };
    const later = this.#timers.findIndex((other) => other.atMs > timer.atMs);
    this.#timers.splice(later === -1 ? this.#timers.length : later, 0, timer);
    return {
      cancel: () => {
        const at = this.#timers.indexOf(timer);
        if (at !== -1) this.#timers.splice(at, 1);
      },
    };
  }

  /** Advances the time, running due timers and the promise callbacks that follow from them. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#elapsedMs + ms;
    await settle();
    for (let next = this.#timers[0]; next && next.atMs <= untilMs; next = this.#timers[0]) await this.step();
    this.#elapsedMs = untilMs;
  }

  /** Advances to the next timer and runs it. Returns false if there is none. */
  async step(): Promise<boolean> {
    await settle();
    const next = this.#timers.shift();
    if (!next) return false;
    this.#elapsedMs = next.atMs;
    next.run();
    await settle();
    return true;
  }
}

/** Waits one turn of the event loop, so that the callbacks of resolved promises have run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
