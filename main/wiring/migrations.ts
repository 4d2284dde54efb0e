import { DatabaseUnavailable } from '../../core/data/errors.js';
import { migrateUp } from '../../core/data/schema/migrate.js';
import { pause, type Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';

/** How long to wait for a database that is still starting. */
const PATIENCE_MS = 60_000;
const AGAIN_MS = 1_000;

/**
 * Migrates the database; waits for one that is still starting.
 * @throws DatabaseUnavailable if it does not become available
 */
export async function migrateWhenThere(url: string, clock: Clock, log: Logger): Promise<void> {
  const untilMs = clock.monotonicMs() + PATIENCE_MS;
  for (;;) {
    try {
      const applied = await migrateUp(url);
      if (applied.length > 0) log.info({ applied }, 'the database was migrated');
      return;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || clock.monotonicMs() > untilMs) throw error;
      log.warn({ err: error }, 'the database is not available yet; retrying');
      await pause(clock, AGAIN_MS);
    }
  }
}
