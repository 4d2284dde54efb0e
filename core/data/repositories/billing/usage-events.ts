import type { Database, Queryable } from '../../database.js';
import type { UsageEventRow } from '../../rows.js';

/** What was used besides calls, as it was told. */
export class UsageEvents {
  constructor(private readonly db: Database) {}

  /** @returns false where the project has an event of this id already; nothing was written then */
  async add(row: UsageEventRow, on: Queryable = this.db): Promise<boolean> {
    const rows = await on.query(
      `INSERT INTO usage_events SELECT * FROM jsonb_populate_record(NULL::usage_events, $1) ON CONFLICT (project_id, event_id) DO NOTHING RETURNING id`,
      [JSON.stringify(row)],
    );
    return rows.length > 0;
  }
}
