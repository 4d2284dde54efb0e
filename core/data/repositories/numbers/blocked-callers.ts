import type { BlockedEntry } from '../../../model/number/blocked-caller.js';
import type { Database, Queryable } from '../../database.js';
import type { BlockedCallerRow } from '../../rows.js';

/** Whose list an entry is on: that of a project, live or sandbox, or that of the installation (null, live). */
export interface BlockListOwner {
  readonly projectId: string | null;
  readonly sandbox: boolean;
}

const COLUMNS = `id, project_id, sandbox, kind, nullif(number, '') AS number, note, created_at`;
/** The list of the owner, whose members are the first two values. `IS NOT DISTINCT FROM` would use no index. */
const ofOwner = ({ projectId }: BlockListOwner): string =>
  `${projectId === null ? 'project_id IS NULL AND $1::uuid IS NULL' : 'project_id = $1'} AND sandbox = $2`;

/** Serializes additions to one list, so that the limit is kept. */
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('blocked callers ' || coalesce($1::text, '') || $2::text, 0))`;

/** The block lists of the projects and of the installation. */
export class BlockedCallers {
  constructor(private readonly db: Database) {}

  /**
   * Adds the entry unless its list has it already, or has `max` entries. Safe against concurrent additions.
   * @returns the entry that is on the list now; null if the list is full
   */
  add(row: BlockedCallerRow, max: number): Promise<BlockedCallerRow | null> {
    const owner = { projectId: row.project_id, sandbox: row.sandbox };
    return this.db.transaction(async (tx) => {
      await tx.query(LOCK, [row.project_id, row.sandbox]);
      const known = await this.find(owner, row, tx);
      if (known) return known;
      const [counted] = await tx.query<{ entries: number }>(
        `SELECT count(*)::integer AS entries FROM blocked_callers WHERE ${ofOwner(owner)}`,
        [row.project_id, row.sandbox],
      );
      if ((counted?.entries ?? 0) >= max) return null;
      await tx.query(
        `INSERT INTO blocked_callers (id, project_id, sandbox, kind, number, note, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [row.id, row.project_id, row.sandbox, row.kind, row.number ?? '', row.note, row.created_at],
      );
      return row;
    });
  }

  async find(
    owner: BlockListOwner,
    { kind, number }: BlockedEntry,
    on: Queryable = this.db,
  ): Promise<BlockedCallerRow | null> {
    const [row] = await on.query<BlockedCallerRow>(
      `SELECT ${COLUMNS} FROM blocked_callers WHERE ${ofOwner(owner)} AND kind = $3 AND number = $4`,
      [owner.projectId, owner.sandbox, kind, number ?? ''],
    );
    return row ?? null;
  }

  /** Newest first, only those before `beforeId`. */
  page(owner: BlockListOwner, beforeId: string | null, limit: number): Promise<BlockedCallerRow[]> {
    return this.db.query<BlockedCallerRow>(
      `SELECT ${COLUMNS} FROM blocked_callers WHERE ${ofOwner(owner)} AND ($3::uuid IS NULL OR id < $3::uuid)
       ORDER BY id DESC LIMIT $4`,
      [owner.projectId, owner.sandbox, beforeId, limit],
    );
  }

  /** @returns false if the list has no such entry */
  async remove(owner: BlockListOwner, id: string): Promise<boolean> {
    const rows = await this.db.query(`DELETE FROM blocked_callers WHERE ${ofOwner(owner)} AND id = $3 RETURNING id`, [
      owner.projectId,
      owner.sandbox,
      id,
    ]);
    return rows.length > 0;
  }

  /** Whether any caller is blocked for the project, by its own list or by that of the installation. */
  async hasAny(projectId: string, sandbox: boolean): Promise<boolean> {
    const [row] = await this.db.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT FROM blocked_callers WHERE project_id = $1 AND sandbox = $2)
         OR NOT $2 AND EXISTS (SELECT FROM blocked_callers WHERE project_id IS NULL) AS found`,
      [projectId, sandbox],
      { prepared: true },
    );
    return row?.found === true;
  }

  /** Whether one of the entries is on the project's list, or for live calls on that of the installation. */
  async blocks(projectId: string, sandbox: boolean, entries: readonly BlockedEntry[]): Promise<boolean> {
    const [row] = await this.db.query<{ found: boolean }>(
      `WITH wanted AS (SELECT * FROM unnest($3::text[], $4::text[]) AS entry (kind, number))
       SELECT EXISTS (
           SELECT FROM wanted JOIN blocked_callers USING (kind, number) WHERE project_id = $1 AND sandbox = $2
         ) OR NOT $2 AND EXISTS (
           SELECT FROM wanted JOIN blocked_callers USING (kind, number) WHERE project_id IS NULL
         ) AS found`,
      [projectId, sandbox, entries.map(({ kind }) => kind), entries.map(({ number }) => number ?? '')],
      { prepared: true },
    );
    return row?.found === true;
  }
}
