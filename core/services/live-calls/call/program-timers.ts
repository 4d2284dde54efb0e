import type { Clock, Timer } from '../../../ports/clock.js';

/** Timers of the calls' programs: one per call and key. */
export class ProgramTimers {
  readonly #timers = new Map<string, Map<string, Timer>>();

  constructor(private readonly clock: Clock) {}

  /** Starts a timer. Replaces the call's timer with the same key. */
  set(callId: string, key: string, delayMs: number, onDue: () => void): void {
    const ofCall = this.#timers.get(callId) ?? new Map<string, Timer>();
    ofCall.get(key)?.cancel();
    const timer = this.clock.after(delayMs, () => {
      this.cancel(callId, key);
      onDue();
    });
    this.#timers.set(callId, ofCall.set(key, timer));
  }

  cancel(callId: string, key: string): void {
    const ofCall = this.#timers.get(callId);
    ofCall?.get(key)?.cancel();
    ofCall?.delete(key);
    if (ofCall?.size === 0) this.#timers.delete(callId);
  }

  cancelAll(callId: string): void {
    for (const timer of this.#timers.get(callId)?.values() ?? []) timer.cancel();
    this.#timers.delete(callId);
  }

  stop(): void {
    for (const callId of [...this.#timers.keys()]) this.cancelAll(callId);
  }
}
