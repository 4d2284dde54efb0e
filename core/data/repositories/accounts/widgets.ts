import { isId } from '../../../model/ids.js';
import type { Database } from '../../database.js';
import { widgetsOf } from '../../models/tables.js';
import type { WidgetRow } from '../../rows.js';

/** The fields of a widget that can change. */
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

  /** Includes revoked widgets, which the caller must reject. */
  findByKey(key: string): Promise<WidgetRow | null> {
    return this.#table.findOne({ key });
  }

  /** By its id, of any project. Includes revoked widgets. */
  find(id: string): Promise<WidgetRow | null> {
    return this.#table.findOne({ id });
  }

  /** Null for a malformed id, a widget of another project, and a revoked one. */
  async get(projectId: string, id: string): Promise<WidgetRow | null> {
    return isId(id) ? this.#table.findOne({ project_id: projectId, id, revoked_at: null }) : null;
  }

  /** A project's widgets, including revoked ones, oldest first. */
  list(projectId: string): Promise<WidgetRow[]> {
    return this.#table.find({ project_id: projectId }, ['id']);
  }

  /** A page of {@link list}. @param after the id of the last widget of the page before */
  page(projectId: string, sandboxOnly: boolean, after: string | null, limit: number): Promise<WidgetRow[]> {
    return this.db.query<WidgetRow>(
      `SELECT * FROM widgets
       WHERE project_id = $1 AND (sandbox OR NOT $2) AND ($3::uuid IS NULL OR id > $3) ORDER BY id LIMIT $4`,
      [projectId, sandboxOnly, after, limit],
    );
  }

  /** @returns false if there is no such widget. */
  async change(projectId: string, id: string, changes: WidgetChanges): Promise<boolean> {
    return (await this.#table.update({ project_id: projectId, id, revoked_at: null }, changes)) === 1;
  }

  /** @returns false if there is no such widget or it was revoked before. */
  revoke(projectId: string, id: string, at: Date): Promise<boolean> {
    return this.#table.update({ project_id: projectId, id, revoked_at: null }, { revoked_at: at }).then((n) => n === 1);
  }

  /**
   * Records the use of a proof of work, and deletes expired ones. @returns false if it was used
   * before.
   */
  async spendProof(challenge: string, expiresAt: Date, now: Date): Promise<boolean> {
    await this.db.query(`DELETE FROM widget_proofs WHERE expires_at < $1`, [now]);
    const rows = await this.db.query(
      `INSERT INTO widget_proofs (challenge, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING challenge`,
      [challenge, expiresAt],
    );
    return rows.length === 1;
  }
}
