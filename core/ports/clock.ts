export interface Timer {
  cancel(): void;
}

/** Time as a port, so that tests and the simulator can drive it. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never go back (for leases and durations). */
  monotonicMs(): number;
  after(delayMs: number, run: () => void): Timer;
}

/**
 * Resolves after so many milliseconds.
 * @param onBegun is handed what ends the pause at once
 */
export function pause(clock: Clock, ms: number, onBegun?: (end: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve);
    onBegun?.(() => {
      timer.cancel();
      resolve();
    });
  });
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const handle = setTimeout(run, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};

/**
 * What the work resolves with, if it does so in time; it is not stopped otherwise. For what is outside, by the real time.
 * @throws Error when it takes longer; what the work throws.
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = systemClock.after(ms, () => reject(new Error(`no answer within ${ms} ms`)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.cancel();
  }
}
