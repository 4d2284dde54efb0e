import { isId } from '../../../model/ids.js';
import type { Database } from '../../database.js';
import { queuesOf } from '../../models/tables.js';
import type { QueueRow } from '../../rows.js';

/** The fields of a queue that can change. */
export type QueueChanges = Partial<
  Omit<QueueRow, 'id' | 'organization_id' | 'project_id' | 'created_at' | 'removed_at'>
>;

export class Queues {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = queuesOf(db);
  }

  /** @throws a unique violation of `queues_name` or `queues_dial_code`. */
  create(row: QueueRow): Promise<void> {
    return this.#table.insert(row);
  }

  /** Null for a malformed id, a queue of another project, and a removed one. */
  async get(projectId: string, id: string): Promise<QueueRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<QueueRow>(
      `SELECT * FROM queues WHERE id = $1 AND project_id = $2 AND removed_at IS NULL`,
      [id, projectId],
      { prepared: true },
    );
    return row ?? null;
  }

  /** Includes removed queues. */
  async getIncludingRemoved(id: string): Promise<QueueRow | null> {
    const [row] = await this.db.query<QueueRow>(`SELECT * FROM queues WHERE id = $1`, [id], { prepared: true });
    return row ?? null;
  }

  findByName(projectId: string, name: string): Promise<QueueRow | null> {
    return this.#table.findOne({ project_id: projectId, name, removed_at: null });
  }

  async findByDialCode(projectId: string, dialCode: string): Promise<QueueRow | null> {
    const [row] = await this.db.query<QueueRow>(
      `SELECT * FROM queues WHERE project_id = $1 AND dial_code = $2 AND removed_at IS NULL`,
      [projectId, dialCode],
      { prepared: true },
    );
    return row ?? null;
  }

  /** Queues of all projects. */
  all(): Promise<QueueRow[]> {
    return this.#table.find({ removed_at: null }, ['project_id', 'name']);
  }

  /** Sorted by name. */
  list(projectId: string): Promise<QueueRow[]> {
    return this.#table.find({ project_id: projectId, removed_at: null }, ['name']);
  }

  /** A page of {@link list}. @param after the name of the last queue of the page before */
  page(projectId: string, after: string | null, limit: number): Promise<QueueRow[]> {
    return this.db.query<QueueRow>(
      `SELECT * FROM queues WHERE project_id = $1 AND removed_at IS NULL AND ($2::text IS NULL OR name > $2)
       ORDER BY name LIMIT $3`,
      [projectId, after, limit],
    );
  }

  /** The first queue that plays an uploaded audio file; null if there is none. */
  async withMusic(projectId: string, audioId: string): Promise<QueueRow | null> {
    return this.#table.findOne({ project_id: projectId, music: audioId, removed_at: null });
  }

  /** @throws like {@link create}. @returns false if there is no such queue. */
  async change(projectId: string, id: string, changes: QueueChanges): Promise<boolean> {
    return (await this.#table.update({ project_id: projectId, id, removed_at: null }, changes)) === 1;
  }

  /**
   * Removes the queue and frees its name and dial code. @returns false if there is no such queue.
   */
  async remove(projectId: string, id: string, at: Date): Promise<boolean> {
    return (await this.#table.update({ project_id: projectId, id, removed_at: null }, { removed_at: at })) === 1;
  }
}
