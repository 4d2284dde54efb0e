import type { Database } from '../../database.js';
import { trunksOf } from '../../models/tables.js';
import type { TrunkRow } from '../../rows.js';

/** What can change about a trunk. */
export type TrunkChanges = Partial<Omit<TrunkRow, 'id' | 'name' | 'created_at'>>;

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

  /** A new default replaces the previous one. @returns null if the trunk is gone */
  change(id: string, changes: TrunkChanges): Promise<TrunkRow | null> {
    return this.db.transaction(async (tx) => {
      if (changes.is_default === true) await this.#table.update({ is_default: true }, { is_default: false }, tx);
      if (Object.keys(changes).length > 0) await this.#table.update({ id }, changes, tx);
      return this.#table.findOne({ id }, tx);
    });
  }

  /** Oldest first. */
  list(): Promise<TrunkRow[]> {
    return this.#table.find({}, ['id']);
  }

  /** Those that engines know, oldest first. */
  enabled(): Promise<TrunkRow[]> {
    return this.#table.find({ enabled: true }, ['id']);
  }

  async remove(id: string): Promise<void> {
    await this.#table.remove({ id });
  }
}
