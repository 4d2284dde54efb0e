import type { Database } from '../../database.js';
import type { NumberDocumentRow } from '../../rows.js';

/** The object that a document belongs to. */
export type DocumentOwner = Pick<NumberDocumentRow, 'porting_request_id' | 'claim_id'>;

/** Documents that customers submit as evidence to the operator. */
export class NumberDocuments {
  constructor(private readonly db: Database) {}

  async insert(row: NumberDocumentRow): Promise<void> {
    await this.db.query(
      `INSERT INTO number_documents SELECT * FROM jsonb_populate_record(NULL::number_documents, $1)`,
      [JSON.stringify(row)],
    );
  }

  /** Oldest first. */
  of({ porting_request_id, claim_id }: DocumentOwner): Promise<NumberDocumentRow[]> {
    return this.db.query<NumberDocumentRow>(
      `SELECT * FROM number_documents WHERE porting_request_id = $1 OR claim_id = $2 ORDER BY id`,
      [porting_request_id, claim_id],
    );
  }

  async remove(id: string): Promise<void> {
    await this.db.query(`DELETE FROM number_documents WHERE id = $1`, [id]);
  }
}
