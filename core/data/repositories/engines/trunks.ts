import type { Database } from '../../database.js';
import { trunksOf } from '../../models/tables.js';
import type { TrunkRow } from '../../rows.js';

export class Trunks {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = trunksOf(db);
  }

  /** A new default replaces the previous one. @throws a unique violation of `trunks_name`. */
  create(row: TrunkRow): Promise<void> {
    return this.db.transaction(async (tx) => {
      if (row.is_default) await this.#table.update({ is_default: true }, { is_default: false }, tx);
      await this.#table.insert(row, tx);
    });
  }

  /** Oldest first. */
  list(): Promise<TrunkRow[]> {
    return this.#table.find({}, ['id']);
  }

  /** The trunk for outgoing calls. */
  findDefault(): Promise<TrunkRow | null> {
    return this.#table.findOne({ is_default: true });
  }

  async remove(id: string): Promise<void> {
    await this.#table.remove({ id });
  }
}
