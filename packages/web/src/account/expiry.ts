/** The longest time that a browser's timer can wait. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Reports that a session is about to end. */
export class Expiry {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly beforeMs: number,
    private readonly onSoon: (expiresAt: Date) => void,
  ) {}

  set(expiresAt: Date): void {
    this.stop();
    const inMs = expiresAt.getTime() - this.beforeMs - Date.now();
    this.#timer = setTimeout(() => this.onSoon(expiresAt), Math.min(Math.max(0, inMs), LONGEST_TIMER_MS));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
