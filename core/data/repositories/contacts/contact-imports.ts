import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { ContactImportRow, ImportFaultRow, ImportLine, ImportProblem } from '../../rows.js';
import type { ProjectKind } from '../project-kind.js';
import type { ContactScope } from './contacts.js';

/** How many lines had each outcome. */
export type ImportCounts = Pick<ContactImportRow, 'created' | 'updated' | 'unchanged' | 'skipped' | 'failed'>;

/** The next piece of an import, locked until the end of the transaction. */
export interface ImportPiece {
  readonly of: ContactImportRow;
  /** Null: all pieces are imported. */
  readonly lines: readonly ImportLine[] | null;
}

export class ContactImports {
  constructor(private readonly db: Database) {}

  /**
   * Adds an import with its lines, unless the project has `max` of its kind that are not finished.
   * @returns false if it has as many
   */
  add(row: ContactImportRow, pieces: readonly (readonly ImportLine[])[], max: number): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
        `contact_imports ${row.project_id} ${String(row.sandbox)}`,
      ]);
      const unfinished = await tx.query(
        `SELECT 1 FROM contact_imports WHERE project_id = $1 AND sandbox = $2 AND due_at IS NOT NULL LIMIT $3`,
        [row.project_id, row.sandbox, max],
      );
      if (unfinished.length >= max) return false;
      await tx.query(
        `INSERT INTO contact_imports SELECT * FROM jsonb_populate_record(NULL::contact_imports, $1::jsonb)`,
        [JSON.stringify(row)],
      );
      for (const [number, lines] of pieces.entries()) {
        await tx.query(`INSERT INTO contact_import_pieces (import_id, number, lines) VALUES ($1, $2, $3)`, [
          row.id,
          number,
          JSON.stringify(lines),
        ]);
      }
      return true;
    });
  }

  /** Null for a malformed id, and for an import that the scope does not show. */
  async get({ projectId, sandboxOnly }: ContactScope, id: string): Promise<ContactImportRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<ContactImportRow>(
      `SELECT * FROM contact_imports WHERE id = $1 AND project_id = $2 AND (sandbox OR NOT $3)`,
      [id, projectId, sandboxOnly],
    );
    return row ?? null;
  }

  /** The import that a request made. */
  async ofRequest({ projectId, sandbox }: ProjectKind, requestId: string): Promise<ContactImportRow | null> {
    const [row] = await this.db.query<ContactImportRow>(
      `SELECT * FROM contact_imports WHERE project_id = $1 AND sandbox = $2 AND request_id = $3 ORDER BY id DESC LIMIT 1`,
      [projectId, sandbox, requestId],
    );
    return row ?? null;
  }

  /** Newest first, only those before `beforeId`. */
  page({ projectId, sandboxOnly }: ContactScope, beforeId: string | null, limit: number): Promise<ContactImportRow[]> {
    return this.db.query<ContactImportRow>(
      `SELECT * FROM contact_imports
       WHERE project_id = $1 AND (sandbox OR NOT $2) AND ($3::uuid IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`,
      [projectId, sandboxOnly, beforeId, limit],
    );
  }

  /** What was wrong with lines, in their order, only after this one. */
  faults(
    importId: string,
    after: { readonly line: number; readonly number: number },
    limit: number,
  ): Promise<ImportFaultRow[]> {
    return this.db.query<ImportFaultRow>(
      `SELECT line, number, column_name, code, message, message_ar FROM contact_import_faults
       WHERE import_id = $1 AND (line, number) > ($2, $3) ORDER BY line, number LIMIT $4`,
      [importId, after.line, after.number, limit],
    );
  }

  /**
   * Locks the import that has waited longest, and takes its next piece. Of a project's imports, the oldest is first.
   * No other process takes it before the transaction ends; if this one dies, nothing has happened.
   */
  async take(tx: Queryable, now: Date): Promise<ImportPiece | null> {
    const [of] = await tx.query<ContactImportRow>(
      `SELECT * FROM contact_imports AS own WHERE due_at <= $1 AND NOT EXISTS (
         SELECT FROM contact_imports AS older WHERE older.project_id = own.project_id
           AND older.sandbox = own.sandbox AND older.due_at IS NOT NULL AND older.id < own.id)
       ORDER BY due_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
      [now],
    );
    if (!of) return null;
    const [piece] = await tx.query<{ lines: readonly ImportLine[] }>(
      `DELETE FROM contact_import_pieces WHERE import_id = $1
         AND number = (SELECT min(number) FROM contact_import_pieces WHERE import_id = $1) RETURNING lines`,
      [of.id],
    );
    return { of, lines: piece?.lines ?? null };
  }

  /** Records the outcome of a piece. */
  async advance(
    tx: Queryable,
    id: string,
    counts: ImportCounts,
    problem: ImportProblem | null,
    now: Date,
  ): Promise<void> {
    await tx.query(
      `UPDATE contact_imports SET status = 'running', attempts = 0, due_at = $7, problem = coalesce($8, problem),
         created = created + $2, updated = updated + $3, unchanged = unchanged + $4, skipped = skipped + $5,
         failed = failed + $6 WHERE id = $1`,
      [...[id, counts.created, counts.updated, counts.unchanged, counts.skipped, counts.failed], ...[now, problem]],
    );
  }

  async addFaults(tx: Queryable, importId: string, faults: readonly ImportFaultRow[]): Promise<void> {
    if (faults.length === 0) return;
    await tx.query(
      `INSERT INTO contact_import_faults (import_id, line, number, column_name, code, message, message_ar)
       SELECT $1, line, number, column_name, code, message, message_ar
       FROM jsonb_populate_recordset(NULL::contact_import_faults, $2::jsonb)`,
      [importId, JSON.stringify(faults)],
    );
  }

  async finish(on: Queryable, id: string, now: Date): Promise<void> {
    await on.query(`UPDATE contact_imports SET status = 'completed', due_at = NULL, finished_at = $2 WHERE id = $1`, [
      id,
      now,
    ]);
  }

  /**
   * Notes that a piece could not be imported: it is tried again at this time, or never.
   * @param dueAt null: the import has failed, and the rest of its lines is deleted
   */
  async postpone(id: string, dueAt: Date | null, now: Date): Promise<void> {
    await this.db.transaction(async (tx) => {
      await tx.query(
        `UPDATE contact_imports SET attempts = attempts + 1, due_at = $2::timestamptz, finished_at = $3::timestamptz,
           status = CASE WHEN $2::timestamptz IS NULL THEN 'failed' ELSE status END,
           problem = CASE WHEN $2::timestamptz IS NULL THEN 'fault' ELSE problem END
         WHERE id = $1 AND due_at IS NOT NULL`,
        [id, dueAt, dueAt === null ? now : null],
      );
      if (dueAt === null) await tx.query(`DELETE FROM contact_import_pieces WHERE import_id = $1`, [id]);
    });
  }
}

/** Deletes errors of imports that finished before this time. @returns how many; fewer than the limit: none is left */
export async function purgeImportFaults(db: Queryable, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `DELETE FROM contact_import_faults WHERE ctid = ANY (ARRAY(
       SELECT fault.ctid FROM contact_import_faults AS fault JOIN contact_imports AS own ON own.id = fault.import_id
       WHERE own.finished_at < $1 LIMIT $2)) RETURNING 1`,
    [before, limit],
  );
  return rows.length;
}

/** Deletes imports that finished before this time; their errors are deleted already. @returns as before */
export async function purgeImports(db: Queryable, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `DELETE FROM contact_imports WHERE id IN (SELECT id FROM contact_imports WHERE finished_at < $1 LIMIT $2)
     RETURNING 1`,
    [before, limit],
  );
  return rows.length;
}
