import { CallWriter, type CallEffect } from '../../../core/data/call-writer.js';
import type { Database } from '../../../core/data/database.js';
import type { CallRow, DeliveryRow, EventRow } from '../../../core/data/rows.js';
import { stageEach } from '../each.js';
import { eventually } from '../eventually.js';
import { chargeOf, effectOf, groundIn, legRow, timelineRow, type Ground } from '../rows/rows.js';

/** The result of {@link WriterStage.countOf} for a call that is not stored. */
export const NOTHING_WRITTEN = { calls: 0, legs: 0, events: 0, charges: 0, call_timeline: 0, webhook_deliveries: 0 };

/** A writer of calls on a real database, and queries of the result. */
export class WriterStage {
  readonly writer: CallWriter;

  private constructor(
    readonly db: Database,
    readonly ground: Ground,
  ) {
    this.writer = new CallWriter(db);
  }

  static async on(db: Database): Promise<WriterStage> {
    return new WriterStage(db, await groundIn(db));
  }

  query<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return this.db.query<Row>(sql, values);
  }

  async stored(id: string): Promise<CallRow | undefined> {
    return (await this.query<CallRow>('SELECT * FROM calls WHERE id = $1', id))[0];
  }

  eventsOf(id: string): Promise<EventRow[]> {
    return this.query('SELECT * FROM events WHERE call_id = $1 ORDER BY sequence', id);
  }

  deliveriesOf(id: string): Promise<DeliveryRow[]> {
    return this.query('SELECT * FROM webhook_deliveries WHERE call_id = $1 ORDER BY lane, sequence', id);
  }

  setEpoch(epoch: number): Promise<object[]> {
    return this.query('UPDATE engines SET epoch = $2 WHERE id = $1', this.ground.engineId, epoch);
  }

  /** The number of the call's rows in each table. */
  async countOf(callId: string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const table of Object.keys(NOTHING_WRITTEN)) {
      const column = table === 'calls' ? 'id' : 'call_id';
      const [row] = await this.query<{ count: number }>(
        `SELECT count(*) AS count FROM ${table} WHERE ${column} = $1`,
        callId,
      );
      counts[table] = row!.count;
    }
    return counts;
  }

  /** Resolves when a statement waits for a lock, e.g. the one just sent. @returns the id of its server process */
  async waitForLock(): Promise<number> {
    const { pid } = await eventually(async () => {
      const [row] = await this.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return row;
    }, 'a statement waits for a lock');
    return pid;
  }

  /** A row in every table that a call's effect may write to. */
  fullEffect(call: CallRow): CallEffect {
    const leg = legRow(call.id, { status: 'ended' });
    return effectOf(call, { legs: [leg], charges: [chargeOf(leg, call)], timeline: [timelineRow(call.id)] });
  }
}

/**
 * For a `describe`: a new stage for each test, on one database for all tests.
 * @param use receives the stage before each test
 */
export function writerEach(use: (stage: WriterStage) => void): void {
  stageEach(
    ({ db }) => WriterStage.on(db),
    use,
    ({ writer }) => writer.idle(),
  );
}
