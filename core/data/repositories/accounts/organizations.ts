import type { Database, Queryable } from '../../database.js';
import { organizationsOf } from '../../models/tables.js';
import type { OrganizationRow } from '../../rows.js';

export class Organizations {
  readonly #table;

  constructor(db: Database) {
    this.#table = organizationsOf(db);
  }

  create(row: OrganizationRow, on?: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  get(id: string): Promise<OrganizationRow | null> {
    return this.#table.findOne({ id });
  }

  /** All organizations, oldest first. */
  list(): Promise<OrganizationRow[]> {
    return this.#table.find({}, ['id']);
  }
}
