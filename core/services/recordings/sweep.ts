import type { Recordings } from '../../data/repositories/calls/recordings.js';
import type { AuditRow, RecordingRow } from '../../data/rows.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import { auditRow } from './audit.js';
import type { RecordingRemoval } from './removal.js';

export interface RecordingSweepOptions {
  readonly recordings: Recordings;
  readonly removal: RecordingRemoval;
  readonly clock: Clock;
  readonly log: Logger;
}

const INTERVAL_MS = 60_000;
/** Small, because the rows of a batch are locked together. */
const BATCH_SIZE = 50;

/**
 * Deletes recordings whose retention has ended, and removes the audio of deleted recordings whose storage was
 * unavailable at the time. PostgreSQL determines what is due and gives each recording to one process; Redis is not
 * needed.
 */
export class RecordingSweep implements PeriodicTask {
  readonly name = 'recording retention';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: RecordingSweepOptions) {}

  /**
   * Runs until nothing is due or a storage is unavailable.
   * @returns the number of recordings deleted
   * @throws DatabaseUnavailable
   */
  async run(isStopping: IsStopping = () => false): Promise<number> {
    const { recordings, removal, clock, log } = this.options;
    let count = 0;
    for (let more = true; more && !isStopping();) {
      const { rows, removals } = await recordings.deleteExpired(BATCH_SIZE, (row) => expired(row, clock.now()));
      const gone = await removal.remove(removals);
      count += rows.length;
      more = gone && rows.length === BATCH_SIZE;
    }
    if (count > 0) log.info({ recordings: count }, 'deleted recordings whose retention has ended');
    for (let more = true; more && !isStopping();) {
      const pending = await recordings.takeRemovals(BATCH_SIZE);
      more = (await removal.remove(pending)) && pending.length === BATCH_SIZE;
    }
    return count;
  }
}

/** The audit row of a deletion by retention, in the form of an API request. */
function expired(row: RecordingRow, now: Date): AuditRow {
  const act = { method: 'DELETE', route: 'recording retention', status: 204 };
  return auditRow(row, now, act, { ended_at: row.ended_at?.toISOString() ?? null });
}
