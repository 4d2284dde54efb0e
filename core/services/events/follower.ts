import { pause, type Clock } from '../../ports/clock.js';

/** Waits until the next poll is due: at a signal, after the poll interval, or at the end. */
export class Follower {
  #signalled = false;
  #wake: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly pollMs: number,
    private readonly end: AbortSignal,
  ) {
    end.addEventListener('abort', this.signal, { once: true });
  }

  readonly signal = (): void => {
    this.#signalled = true;
    this.#wake?.();
  };

  /** Returns at once if there was a signal since the last wait. */
  async wait(): Promise<void> {
    if (!this.#signalled) await pause(this.clock, this.pollMs, (end) => (this.#wake = end));
    this.#wake = null;
    this.#signalled = false;
  }

  close(): void {
    this.end.removeEventListener('abort', this.signal);
  }
}
