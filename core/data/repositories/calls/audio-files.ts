import type { Database } from '../../database.js';
import { audioFilesOf } from '../../models/tables.js';
import type { AudioFileRow } from '../../rows.js';

export class AudioFiles {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = audioFilesOf(db);
  }

  create(row: AudioFileRow): Promise<void> {
    return this.#table.insert(row);
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
