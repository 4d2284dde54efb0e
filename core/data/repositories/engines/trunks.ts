import type { Database } from '../../database.js';
import { trunksOf } from '../../models/tables.js';
import type { AuditRow, TrunkRow } from '../../rows.js';
import { insertAuditRows } from '../accounts/audit.js';

/** What can change about a trunk. */
export type TrunkChanges = Partial<Omit<TrunkRow, 'id' | 'name' | 'created_at'>>;

/** The operator's trunks. Each change is written together with the rows that the audit log gets of it. */
export class Trunks {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = trunksOf(db);
  }

  /** A new default replaces the previous one. @throws a unique violation of `trunks_name`. */
  create(row: TrunkRow, audit: readonly AuditRow[] = []): Promise<void> {
    return this.db.transaction(async (tx) => {
      if (row.is_default) await this.#table.update({ is_default: true }, { is_default: false }, tx);
      await this.#table.insert(row, tx);
      if (audit.length > 0) await insertAuditRows(tx, audit);
    });
  }

  /** A new default replaces the previous one. @returns null if the trunk is gone */
  change(id: string, changes: TrunkChanges, audit: readonly AuditRow[] = []): Promise<TrunkRow | null> {
    return this.db.transaction(async (tx) => {
      if (changes.is_default === true) await this.#table.update({ is_default: true }, { is_default: false }, tx);
      if (Object.keys(changes).length > 0) await this.#table.update({ id }, changes, tx);
      const changed = await this.#table.findOne({ id }, tx);
      if (changed && audit.length > 0) await insertAuditRows(tx, audit);
      return changed;
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

  /** @returns false if it is gone already */
  remove(id: string, audit: readonly AuditRow[] = []): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      if ((await this.#table.remove({ id }, tx)) === 0) return false;
      if (audit.length > 0) await insertAuditRows(tx, audit);
      return true;
    });
  }
}
