import type { Database, Queryable } from '../../database.js';
import { audioFilesOf } from '../../models/tables.js';
import type { AudioFileRow } from '../../rows.js';
import type { ProjectKind } from '../project-kind.js';

/** What files have together. */
export interface AudioTotals {
  readonly files: number;
  readonly durationMs: number;
}

export class AudioFiles {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = audioFilesOf(db);
  }

  /** Number and total duration of a project's files of one kind. */
  async totals({ projectId, sandbox }: ProjectKind, db: Queryable = this.db): Promise<AudioTotals> {
    const [row] = await db.query<{ files: number; duration_ms: number }>(
      `SELECT count(*) AS files, coalesce(sum(duration_ms), 0)::bigint AS duration_ms FROM audio_files
       WHERE project_id = $1 AND sandbox = $2`,
      [projectId, sandbox],
    );
    return { files: row?.files ?? 0, durationMs: row?.duration_ms ?? 0 };
  }

  /** Inserts the file if the project's files are not longer than `maxMs` with it. @returns whether they are not */
  createWithin(row: AudioFileRow, maxMs: number): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      // Uploads of a project at the same time are counted one after another.
      await tx.query('SELECT 1 FROM projects WHERE id = $1 FOR NO KEY UPDATE', [row.project_id]);
      const { durationMs } = await this.totals({ projectId: row.project_id, sandbox: row.sandbox }, tx);
      if (durationMs + row.duration_ms > maxMs) return false;
      await tx.query(
        `INSERT INTO audio_files (id, project_id, sandbox, name, duration_ms, bytes, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [row.id, row.project_id, row.sandbox, row.name, row.duration_ms, row.bytes, row.created_at],
      );
      return true;
    });
  }

  /** Null for a file of another project or kind, too. */
  get({ projectId, sandbox }: ProjectKind, id: string): Promise<AudioFileRow | null> {
    return this.#table.findOne({ project_id: projectId, sandbox, id });
  }

  /** Newest first, only those before `beforeId`. */
  page({ projectId, sandbox }: ProjectKind, beforeId: string | null, limit: number): Promise<AudioFileRow[]> {
    return this.db.query<AudioFileRow>(
      `SELECT id, project_id, sandbox, name, duration_ms, bytes, created_at FROM audio_files
       WHERE project_id = $1 AND sandbox = $4 AND ($2::uuid IS NULL OR id < $2::uuid) ORDER BY id DESC LIMIT $3`,
      [projectId, beforeId, limit, sandbox],
    );
  }

  /** @returns false if the project has no such file of this kind. */
  async remove({ projectId, sandbox }: ProjectKind, id: string): Promise<boolean> {
    return (await this.#table.remove({ project_id: projectId, sandbox, id })) === 1;
  }
}
