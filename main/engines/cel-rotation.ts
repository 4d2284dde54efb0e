import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import { PeriodicWork } from '../../core/services/runtime/periodic-work.js';
import { rotate } from '../../engine/common/log-lines.js';

/** Two files of this size hold some tens of thousands of calls: more than end while the application is down. */
const LIMIT_BYTES = 64 * 1024 * 1024;
const CHECK_EVERY_MS = 60_000;

/** Limits the size of the embedded Asterisk's CEL file. @returns stops it */
export function keepCelSmall(file: string, clock: Clock, log: Logger): () => void {
  const regular = new PeriodicWork({
    work: () => rotate(file, LIMIT_BYTES),
    everyMs: CHECK_EVERY_MS,
    clock,
    onFailure: (err) => log.warn({ err, file }, 'the CEL file could not be rotated'),
  });
  regular.startNow();
  return () => void regular.stop();
}
