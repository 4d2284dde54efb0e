import { isId } from '../../../model/ids.js';
import type { BroadcastStatus } from '../../../model/broadcasts/broadcast.js';
import type { Database, Queryable } from '../../database.js';
import type { BroadcastRow } from '../../rows.js';
import type { ContactScope } from '../contacts/contacts.js';
import type { ProjectKind } from '../project-kind.js';

/** What steps of a broadcast change of its row. */
export type BroadcastChange = Partial<
  Pick<
    BroadcastRow,
    | 'status'
    | 'problem'
    | 'variants'
    | 'file_name'
    | 'total'
    | 'prepared_after'
    | 'prepared_at'
    | 'paced_until'
    | 'due_at'
    | 'attempts'
    | 'accepted_at'
    | 'reported_at'
    | 'reported'
    | 'started_at'
    | 'finished_at'
  >
>;

export class Broadcasts {
  constructor(private readonly db: Database) {}

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  /**
   * Adds a broadcast unless the project has `max` of its kind that are not finished. Safe against concurrent additions.
   * @returns false if there are as many
   */
  add(row: BroadcastRow, max: number): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
        `broadcasts ${row.project_id} ${String(row.sandbox)}`,
      ]);
      const added = await tx.query(
        `INSERT INTO broadcasts SELECT * FROM jsonb_populate_record(NULL::broadcasts, $1)
         WHERE (SELECT count(*) FROM broadcasts WHERE project_id = $2 AND sandbox = $3 AND finished_at IS NULL) < $4
         RETURNING 1`,
        [JSON.stringify(row), row.project_id, row.sandbox, max],
      );
      return added.length > 0;
    });
  }

  /** The broadcast that a request of this key made. */
  async createdBy(projectId: string, keyId: string, requestId: string): Promise<BroadcastRow | null> {
    const [row] = await this.db.query<BroadcastRow>(
      `SELECT * FROM broadcasts WHERE request_id = $3 AND project_id = $1 AND created_by_key = $2`,
      [projectId, keyId, requestId],
    );
    return row ?? null;
  }

  /** Null for a malformed id, and for a broadcast that the scope does not show. */
  async get({ projectId, sandboxOnly }: ContactScope, id: string): Promise<BroadcastRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<BroadcastRow>(
      `SELECT * FROM broadcasts WHERE id = $1 AND project_id = $2 AND (sandbox OR NOT $3)`,
      [id, projectId, sandboxOnly],
    );
    return row ?? null;
  }

  /** Newest first, only those before `beforeId`. */
  page(
    { projectId, sandboxOnly }: ContactScope,
    status: BroadcastStatus | null,
    beforeId: string | null,
    limit: number,
  ): Promise<BroadcastRow[]> {
    return this.db.query<BroadcastRow>(
      `SELECT * FROM broadcasts WHERE project_id = $1 AND (sandbox OR NOT $2)
         AND ($3::text IS NULL OR status = $3) AND ($4::uuid IS NULL OR id < $4)
       ORDER BY id DESC LIMIT $5`,
      [projectId, sandboxOnly, status, beforeId, limit],
    );
  }

  /** Locks a broadcast of exactly this kind until the end of the transaction: nothing else happens to it meanwhile. */
  async lock(tx: Queryable, { projectId, sandbox }: ProjectKind, id: string): Promise<BroadcastRow | null> {
    if (!isId(id)) return null;
    const [row] = await tx.query<BroadcastRow>(
      `SELECT * FROM broadcasts WHERE id = $1 AND project_id = $2 AND sandbox = $3 FOR NO KEY UPDATE`,
      [id, projectId, sandbox],
    );
    return row ?? null;
  }

  /**
   * Locks the broadcast that has been due longest and that nobody works on. If the process dies, the transaction has not
   * happened.
   */
  async take(tx: Queryable, now: Date): Promise<BroadcastRow | null> {
    const [row] = await tx.query<BroadcastRow>(
      `SELECT * FROM broadcasts WHERE due_at <= $1 ORDER BY due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
      [now],
      { prepared: true },
    );
    return row ?? null;
  }

  async change(on: Queryable, id: string, change: BroadcastChange): Promise<void> {
    const names = Object.keys(change) as (keyof BroadcastChange)[];
    if (names.length === 0) return;
    const values = names.map((name) => (name === 'variants' ? JSON.stringify(change[name]) : change[name]));
    const settings = names.map((name, index) => `${name} = $${index + 2}`);
    await on.query(`UPDATE broadcasts SET ${settings.join(', ')} WHERE id = $1`, [id, ...values]);
  }

  /** Notes a fault of a step, unless the broadcast is finished by now. */
  async postpone(id: string, dueAt: Date): Promise<void> {
    await this.db.query(
      `UPDATE broadcasts SET attempts = attempts + 1, due_at = $2 WHERE id = $1 AND due_at IS NOT NULL`,
      [id, dueAt],
    );
  }
}

/** `$1`: broadcasts that finished before, and drafts from before. */
const OVER = `coalesce(own.finished_at, CASE own.status WHEN 'draft' THEN own.created_at END) < $1`;

/**
 * Deletes recipients of broadcasts that finished before this time, or are drafts from before.
 * @returns how many; fewer than the limit: none is left
 */
export async function purgeBroadcastRecipients(db: Queryable, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `DELETE FROM broadcast_recipients WHERE id = ANY (ARRAY(
       SELECT recipient.id FROM broadcasts AS own JOIN broadcast_recipients AS recipient ON recipient.broadcast_id = own.id
       WHERE ${OVER} LIMIT $2)) RETURNING 1`,
    [before, limit],
  );
  return rows.length;
}

/** Deletes those broadcasts; their recipients are deleted already, their messages follow. @returns as before */
export async function purgeBroadcasts(db: Queryable, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `DELETE FROM broadcasts WHERE id = ANY (ARRAY(SELECT own.id FROM broadcasts AS own WHERE ${OVER} LIMIT $2))
     RETURNING 1`,
    [before, limit],
  );
  return rows.length;
}
