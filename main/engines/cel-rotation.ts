import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import { PeriodicWork } from '../../core/services/runtime/periodic-work.js';
import { rotate } from '../../engine/common/log-lines.js';

const CHECK_EVERY_MS = 60_000;

/** Limits the size of the embedded Asterisk's CEL file. Asterisk opens it for each line. @returns stops it */
export function keepCelSmall(file: string, clock: Clock, log: Logger): () => void {
  const regular = new PeriodicWork({
    work: () => rotate(file),
    everyMs: CHECK_EVERY_MS,
    clock,
    onFailure: (err) => log.warn({ err, file }, 'the CEL file could not be rotated'),
  });
  regular.startNow();
  return () => void regular.stop();
}
