import type { Database, Queryable } from '../../database.js';
import { recordsetOf, recordsetValues } from '../../recordset.js';
import type { UsageEventRow } from '../../rows.js';

/** Usage other than calls, as it was reported. */
export class UsageEvents {
  constructor(private readonly db: Database) {}

  /** @returns false, and writes nothing, if the project already has an event with this id */
  async add(row: UsageEventRow, on: Queryable = this.db): Promise<boolean> {
    const rows = await on.query(
      `INSERT INTO usage_events SELECT * FROM jsonb_populate_record(NULL::usage_events, $1) ON CONFLICT (project_id, event_id) DO NOTHING RETURNING id`,
      [JSON.stringify(row)],
    );
    return rows.length > 0;
  }

  /** The same for several events whose ids are new. */
  async addAll(rows: readonly UsageEventRow[], on: Queryable): Promise<void> {
    await on.query(`INSERT INTO usage_events SELECT * FROM ${recordsetOf('usage_events')}`, recordsetValues(rows), {
      prepared: true,
    });
  }
}
