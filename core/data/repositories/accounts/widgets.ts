import { isId } from '../../../model/ids.js';
import type { Database } from '../../database.js';
import { widgetsOf } from '../../models/tables.js';
import type { WidgetRow } from '../../rows.js';

/** What can be changed of a widget. */
export type WidgetChanges = Partial<
  Omit<WidgetRow, 'id' | 'organization_id' | 'project_id' | 'key' | 'sandbox' | 'created_at' | 'revoked_at'>
>;

export class Widgets {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = widgetsOf(db);
  }

  create(row: WidgetRow): Promise<void> {
    return this.#table.insert(row);
  }

  /** Also one that is revoked: the caller says so. */
  findByKey(key: string): Promise<WidgetRow | null> {
    return this.#table.findOne({ key });
  }

  /** Null for a malformed id, one of another project, and one that is revoked. */
  async get(projectId: string, id: string): Promise<WidgetRow | null> {
    return isId(id) ? this.#table.findOne({ project_id: projectId, id, revoked_at: null }) : null;
  }

  /** A project's widgets, revoked ones too, oldest first. */
  list(projectId: string): Promise<WidgetRow[]> {
    return this.#table.find({ project_id: projectId }, ['id']);
  }

  /** @returns false when there is no such widget. */
  async change(projectId: string, id: string, changes: WidgetChanges): Promise<boolean> {
    return (await this.#table.update({ project_id: projectId, id, revoked_at: null }, changes)) === 1;
  }

  /** @returns false when there is no such widget or it was revoked before. */
  revoke(projectId: string, id: string, at: Date): Promise<boolean> {
    return this.#table.update({ project_id: projectId, id, revoked_at: null }, { revoked_at: at }).then((n) => n === 1);
  }

  /** Keep that a proof of work was handed in; those that are past their time go. @returns false when it was handed in before. */
  async spendProof(challenge: string, expiresAt: Date, now: Date): Promise<boolean> {
    await this.db.query(`DELETE FROM widget_proofs WHERE expires_at < $1`, [now]);
    const rows = await this.db.query(
      `INSERT INTO widget_proofs (challenge, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING challenge`,
      [challenge, expiresAt],
    );
    return rows.length === 1;
  }
}
