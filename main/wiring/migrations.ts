import { DatabaseUnavailable } from '../../core/data/errors.js';
import { migrateUp } from '../../core/data/schema/migrate.js';
import { pause, type Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';

/** A database that starts at the same time as we do is given this long. */
const PATIENCE_MS = 60_000;
const AGAIN_MS = 1_000;

/** Bring the database up to date, waiting for one that is just starting. @throws DatabaseUnavailable when it does not come. */
export async function migrateWhenThere(url: string, clock: Clock, log: Logger): Promise<void> {
  const untilMs = clock.monotonicMs() + PATIENCE_MS;
  for (;;) {
    try {
      const applied = await migrateUp(url);
      if (applied.length > 0) log.info({ applied }, 'the database was brought up to date');
      return;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || clock.monotonicMs() > untilMs) throw error;
      log.warn({ err: error }, 'the database is not there yet; it is tried again');
      await pause(clock, AGAIN_MS);
    }
  }
}
