import type { Database, Queryable } from '../../database.js';
import { audioFilesOf } from '../../models/tables.js';
import type { AudioFileRow } from '../../rows.js';

export class AudioFiles {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = audioFilesOf(db);
  }

  /** Total duration of a project's files in milliseconds. */
  async durationMs(projectId: string, db: Queryable = this.db): Promise<number> {
    const [row] = await db.query<{ total: number }>(
      `SELECT coalesce(sum(duration_ms), 0)::bigint AS total FROM audio_files WHERE project_id = $1`,
      [projectId],
    );
    return row?.total ?? 0;
  }

  /** Inserts the file if the project's files are not longer than `maxMs` with it. @returns whether they are not */
  createWithin(row: AudioFileRow, maxMs: number): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      // Uploads of a project at the same time are counted one after another.
      await tx.query('SELECT 1 FROM projects WHERE id = $1 FOR NO KEY UPDATE', [row.project_id]);
      if ((await this.durationMs(row.project_id, tx)) + row.duration_ms > maxMs) return false;
      await tx.query(
        `INSERT INTO audio_files (id, project_id, name, duration_ms, bytes, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
        [row.id, row.project_id, row.name, row.duration_ms, row.bytes, row.created_at],
      );
      return true;
    });
  }

  /** Null for another project's file, too. */
  get(projectId: string, id: string): Promise<AudioFileRow | null> {
    return this.#table.findOne({ project_id: projectId, id });
  }

  /** Newest first, only those before `beforeId`. */
  page(projectId: string, beforeId: string | null, limit: number): Promise<AudioFileRow[]> {
    return this.db.query<AudioFileRow>(
      `SELECT id, project_id, name, duration_ms, bytes, created_at FROM audio_files
       WHERE project_id = $1 AND ($2::uuid IS NULL OR id < $2::uuid) ORDER BY id DESC LIMIT $3`,
      [projectId, beforeId, limit],
    );
  }

  /** @returns false if the project has no such file. */
  async remove(projectId: string, id: string): Promise<boolean> {
    return (await this.#table.remove({ project_id: projectId, id })) === 1;
  }
}
