import type { Database } from '../../database.js';
import type { NumberDocumentRow } from '../../rows.js';

/** The object that a document belongs to. */
export type DocumentOwner =
  { readonly porting_request_id: string } | { readonly claim_id: string } | { readonly production_request_id: string };

/** Documents that customers submit as evidence to the operator. */
export class NumberDocuments {
  constructor(private readonly db: Database) {}

  async insert(row: NumberDocumentRow<string>): Promise<void> {
    await this.db.query(
      `INSERT INTO number_documents SELECT * FROM jsonb_populate_record(NULL::number_documents, $1)`,
      [JSON.stringify(row)],
    );
  }

  /** Oldest first. */
  of<Kind extends string>(owner: DocumentOwner): Promise<NumberDocumentRow<Kind>[]> {
    return this.db.query<NumberDocumentRow<Kind>>(
      `SELECT document.* FROM number_documents AS document, jsonb_populate_record(NULL::number_documents, $1) AS owner
       WHERE document.porting_request_id = owner.porting_request_id OR document.claim_id = owner.claim_id
         OR document.production_request_id = owner.production_request_id
       ORDER BY document.id`,
      [JSON.stringify(owner)],
    );
  }

  async remove(id: string): Promise<void> {
    await this.db.query(`DELETE FROM number_documents WHERE id = $1`, [id]);
  }
}
