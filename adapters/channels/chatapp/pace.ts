import { pause, type Clock } from '../../../core/ports/clock.js';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Longer waits are left to the queue of messages. */
const LONGEST_WAIT_MS = 2_000;

/** How fast one number of the provider may send: a number of messages a second, and pauses that the provider asks for. */
export class Pace {
  #nextAt = 0;
  #pausedUntil = 0;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(
    private readonly perSecond: number,
    private readonly clock: Clock,
  ) {}

  /** Waits for a turn. @returns false if it would take too long: the message is to be submitted later */
  async turn(): Promise<boolean> {
    const now = this.clock.now().getTime();
    if (now < this.#pausedUntil) return false;
    const at = Math.max(now, this.#nextAt);
    if (at - now > LONGEST_WAIT_MS) return false;
    this.#nextAt = at + 1_000 / this.perSecond;
    if (at > now) await pause(this.clock, at - now);
    return true;
  }

  /** The provider asks to slow down: pauses, longer each time. */
  slowDown(): void {
    const now = this.clock.now().getTime();
    // Those under way all hear the same.
    if (now < this.#pausedUntil) return;
    this.#pausedUntil = now + this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  /** The provider took a message. */
  took(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
  }
}
