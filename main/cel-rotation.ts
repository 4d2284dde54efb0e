import type { Clock, Timer } from '../core/ports/clock.js';
import type { Logger } from '../core/ports/logger.js';
import { putAside } from '../engine/asterisk/cel-file.js';

/** Two such files hold some tens of thousands of calls: more than ends while the application is away. */
const LIMIT_BYTES = 64 * 1024 * 1024;
const LOOK_EVERY_MS = 60_000;

/** Keeps the embedded Asterisk's record of its channels from growing for ever. @returns how to stop */
export function keepCelSmall(file: string, clock: Clock, log: Logger): () => void {
  let timer: Timer;
  let isStopped = false;
  const look = (): void => {
    putAside(file, LIMIT_BYTES)
      .catch((error: unknown) => log.warn({ err: error, file }, "the engine's record of its channels grows on"))
      .finally(() => {
        if (!isStopped) timer = clock.after(LOOK_EVERY_MS, look);
      });
  };
  timer = clock.after(0, look);
  return () => {
    isStopped = true;
    timer.cancel();
  };
}
