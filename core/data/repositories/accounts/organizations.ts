import type { Database, Queryable } from '../../database.js';
import { organizationsOf } from '../../models/tables.js';
import type { OrganizationRow } from '../../rows.js';

export class Organizations {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = organizationsOf(db);
  }

  create(row: OrganizationRow, on?: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  get(id: string): Promise<OrganizationRow | null> {
    return this.#table.findOne({ id });
  }

  /** @returns false if there is no such organization. */
  async setContact(id: string, contact_email: string | null): Promise<boolean> {
    return (await this.#table.update({ id }, { contact_email })) === 1;
  }

  /** Sets a flag of an organization. @param on null: as in the environment. @returns null for an unknown one */
  async setFlag(id: string, flag: string, on: boolean | null): Promise<OrganizationRow | null> {
    const [row] = await this.db.query<OrganizationRow>(
      `UPDATE organizations SET flags = CASE
         WHEN $3::boolean IS NULL THEN flags - $2::text ELSE flags || jsonb_build_object($2::text, $3::boolean) END
       WHERE id = $1 RETURNING *`,
      [id, flag, on],
    );
    return row ?? null;
  }

  /** All organizations, oldest first. */
  list(): Promise<OrganizationRow[]> {
    return this.#table.find({}, ['id']);
  }
}
