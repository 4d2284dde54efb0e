import type { Recordings } from '../../data/repositories/recordings.js';
import type { AuditRow, RecordingRow } from '../../data/rows.js';
import { newId } from '../../model/ids.js';
import type { Clock, Timer } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { RecordingRemoval } from './removal.js';

export interface RecordingSweepOptions {
  readonly recordings: Recordings;
  readonly removal: RecordingRemoval;
  readonly clock: Clock;
  readonly log: Logger;
  /** A minute by default. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 60_000;
/** Few at once: the rows of a batch are locked together. */
const BATCH = 50;

/**
 * Deletes recordings that their projects have kept for long enough, and takes the audio of deleted ones out of a storage that was away.
 * PostgreSQL says what is due and gives each recording to one process; Redis is not needed.
 */
export class RecordingSweep {
  #timer: Timer | null = null;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly options: RecordingSweepOptions) {}

  start(): void {
    const { clock, intervalMs = INTERVAL_MS } = this.options;
    if (this.#stopped) return;
    this.#timer = clock.after(intervalMs, () => {
      this.#running = this.#sweepOnce().then(() => this.start());
    });
  }

  /** What is under way ends with its batch. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  /** Until nothing more is due, or a storage is away. @returns how many recordings were deleted. @throws DatabaseUnavailable */
  async sweep(): Promise<number> {
    const { recordings, removal, clock, log } = this.options;
    let count = 0;
    for (let goOn = true; goOn && !this.#stopped;) {
      const { rows, removals } = await recordings.deleteExpired(BATCH, (row) => expired(row, clock.now()));
      const gone = await removal.remove(removals);
      count += rows.length;
      goOn = gone && rows.length === BATCH;
    }
    if (count > 0) log.info({ recordings: count }, 'recordings were deleted that had been kept for long enough');
    for (let goOn = true; goOn && !this.#stopped;) {
      const late = await recordings.takeRemovals(BATCH);
      goOn = (await removal.remove(late)) && late.length === BATCH;
    }
    return count;
  }

  async #sweepOnce(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      this.options.log.warn({ err: error }, 'the sweep for old recordings failed; it is made again');
    }
  }
}

/** As if somebody had asked for it. */
function expired(row: RecordingRow, now: Date): AuditRow {
  return {
    id: newId(),
    organization_id: row.organization_id,
    project_id: row.project_id,
    key_id: null,
    request_id: newId(),
    method: 'DELETE',
    path: `/v1/calls/${row.call_id}/recording`,
    route: 'recording retention',
    status: 204,
    error_code: null,
    ip: '',
    details: { recording_id: row.id, ended_at: row.ended_at?.toISOString() ?? null },
    created_at: now,
  };
}
