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
 * Resolves after `ms` milliseconds.
 * @param onStart receives a function that ends the pause at once
 */
export function pause(clock: Clock, ms: number, onStart?: (end: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve);
    onStart?.(() => {
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
 * Resolves with the result of `work` if it arrives within `ms`. The work itself is not stopped.
 * Uses real time because it guards external systems. An answer that arrived in time while this process was busy counts:
 * what the sockets hold is read before the wait ends.
 * @throws Error after `ms`; rethrows what the work throws.
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = systemClock.after(ms, () => setImmediate(() => reject(new Error(`no answer within ${ms} ms`))));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.cancel();
  }
}
