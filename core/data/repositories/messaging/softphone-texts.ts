import type { Database } from '../../database.js';
import type { SoftphoneTextRow } from '../../rows.js';

/** Texts that softphones have sent and that wait to be accepted as messages. */
export class SoftphoneTextTable {
  constructor(private readonly db: Database) {}

  /** A repetition of the same request changes nothing. */
  async add(row: SoftphoneTextRow): Promise<void> {
    await this.db.query(
      `INSERT INTO softphone_texts SELECT * FROM jsonb_populate_record(NULL::softphone_texts, $1) ON CONFLICT DO NOTHING`,
      [JSON.stringify(row)],
    );
  }

  /**
   * Works on the oldest text that no other process works on, and deletes it then. If the work rejects, or the process dies,
   * the text stays.
   * @returns false if there is none
   */
  next(work: (row: SoftphoneTextRow) => Promise<void>): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.query<SoftphoneTextRow>(
        `SELECT * FROM softphone_texts ORDER BY received_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
      );
      if (!row) return false;
      await work(row);
      await tx.query(`DELETE FROM softphone_texts WHERE id = $1`, [row.id]);
      return true;
    });
  }
}
