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
/** Few at once: the rows of a batch are locked together. */
const BATCH = 50;

/**
 * Deletes recordings that their projects have kept for long enough, and takes the audio of deleted ones out of a storage that was away.
 * PostgreSQL says what is due and gives each recording to one process; Redis is not needed.
 */
export class RecordingSweep implements PeriodicTask {
  readonly name = 'recording retention';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: RecordingSweepOptions) {}

  /** Until nothing more is due, or a storage is away. @returns how many recordings were deleted. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<number> {
    const { recordings, removal, clock, log } = this.options;
    let count = 0;
    for (let goOn = true; goOn && !isStopping();) {
      const { rows, removals } = await recordings.deleteExpired(BATCH, (row) => expired(row, clock.now()));
      const gone = await removal.remove(removals);
      count += rows.length;
      goOn = gone && rows.length === BATCH;
    }
    if (count > 0) log.info({ recordings: count }, 'recordings were deleted that had been kept for long enough');
    for (let goOn = true; goOn && !isStopping();) {
      const late = await recordings.takeRemovals(BATCH);
      goOn = (await removal.remove(late)) && late.length === BATCH;
    }
    return count;
  }
}

/** As if somebody had asked for it. */
function expired(row: RecordingRow, now: Date): AuditRow {
  const act = { method: 'DELETE', route: 'recording retention', status: 204 };
  return auditRow(row, now, act, { ended_at: row.ended_at?.toISOString() ?? null });
}
