import type { Clock } from '../core/ports/clock.js';
import type { Logger } from '../core/ports/logger.js';
import { PeriodicWork } from '../core/services/runtime/periodic-work.js';
import { rotate } from '../engine/asterisk/cel/cel-file.js';

/** Two such files hold some tens of thousands of calls: more than ends while the application is away. */
const LIMIT_BYTES = 64 * 1024 * 1024;
const LOOK_EVERY_MS = 60_000;

/** Keeps the embedded Asterisk's record of its channels from growing for ever. @returns how to stop */
export function keepCelSmall(file: string, clock: Clock, log: Logger): () => void {
  const regular = new PeriodicWork({
    work: () => rotate(file, LIMIT_BYTES),
    everyMs: LOOK_EVERY_MS,
    clock,
    onFailure: (err) => log.warn({ err, file }, "the engine's record of its channels grows on"),
  });
  regular.startNow();
  return () => void regular.stop();
}
