import type { Database } from '../database.js';
import { audioFilesOf } from '../models/tables.js';
import type { AudioFileRow } from '../rows.js';

export class AudioFiles {
  readonly #table;

  constructor(db: Database) {
    this.#table = audioFilesOf(db);
  }

  create(row: AudioFileRow): Promise<void> {
    return this.#table.insert(row);
  }

  /** Another project's file is null too. */
  get(projectId: string, id: string): Promise<AudioFileRow | null> {
    return this.#table.findOne({ project_id: projectId, id });
  }

  /** Oldest first. */
  listByProject(projectId: string): Promise<AudioFileRow[]> {
    return this.#table.find({ project_id: projectId }, ['id']);
  }

  /** @returns false when the project has no such file. */
  async remove(projectId: string, id: string): Promise<boolean> {
    return (await this.#table.remove({ project_id: projectId, id })) === 1;
  }
}
