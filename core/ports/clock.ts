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
 * Runs `run` after `delayMs`, unless something from outside arrives before and cancels it. What arrived in time while this
 * process was busy counts: a timer that is due runs before the sockets are read, so they are read first.
 */
export function afterReading(clock: Pick<Clock, 'after'>, delayMs: number, run: () => void): Timer {
  let turn: NodeJS.Immediate | undefined;
  const timer = clock.after(delayMs, () => (turn = setImmediate(run)));
  return {
    cancel: () => {
      timer.cancel();
      clearImmediate(turn);
    },
  };
}

/**
 * Resolves with the result of `work` if it arrives within `ms`. The work itself is not stopped.
 * Uses real time because it guards external systems.
 * @throws Error after `ms`; rethrows what the work throws.
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = afterReading(systemClock, ms, () => reject(new Error(`no answer within ${ms} ms`)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.cancel();
  }
}
