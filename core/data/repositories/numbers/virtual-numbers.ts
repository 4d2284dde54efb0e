import type { Database, Queryable } from '../../database.js';
import type { Instructions, VirtualNumberRow } from '../../rows.js';

export interface InstructionsChange {
  readonly instructions: Instructions;
  readonly audio_id: string | null;
  readonly audio_path: string | null;
}

/** Numbers that projects allocated to their end users. */
export class VirtualNumbers {
  constructor(private readonly db: Database) {}

  /** The allocation behind an incoming call; null if it was released. */
  async assigned(id: string): Promise<VirtualNumberRow | null> {
    const [row] = await this.db.query<VirtualNumberRow>(
      `SELECT * FROM virtual_numbers WHERE id = $1 AND status = 'assigned'`,
      [id],
      { prepared: true },
    );
    return row ?? null;
  }

  /** The end user's current allocation, or null. */
  async ofUser(projectId: string, externalUserId: string, on: Queryable = this.db): Promise<VirtualNumberRow | null> {
    const [row] = await on.query<VirtualNumberRow>(
      `SELECT * FROM virtual_numbers WHERE project_id = $1 AND external_user_id = $2 AND status = 'assigned'`,
      [projectId, externalUserId],
    );
    return row ?? null;
  }

  /** The current allocation of the number, or null. */
  async ofNumber(numberId: string, on: Queryable = this.db): Promise<VirtualNumberRow | null> {
    const [row] = await on.query<VirtualNumberRow>(
      `SELECT * FROM virtual_numbers WHERE number_id = $1 AND status = 'assigned'`,
      [numberId],
    );
    return row ?? null;
  }

  /** In whatever project. */
  async find(id: string): Promise<VirtualNumberRow | null> {
    const [row] = await this.db.query<VirtualNumberRow>(`SELECT * FROM virtual_numbers WHERE id = $1`, [id]);
    return row ?? null;
  }

  async get(projectId: string, id: string, on: Queryable = this.db): Promise<VirtualNumberRow | null> {
    const [row] = await on.query<VirtualNumberRow>(`SELECT * FROM virtual_numbers WHERE id = $1 AND project_id = $2`, [
      id,
      projectId,
    ]);
    return row ?? null;
  }

  /** Newest first, only those before `beforeId`. */
  page(
    projectId: string,
    filter: { readonly status: VirtualNumberRow['status'] | null; readonly externalUserId: string | null },
    beforeId: string | null,
    limit: number,
  ): Promise<VirtualNumberRow[]> {
    return this.db.query<VirtualNumberRow>(
      `SELECT * FROM virtual_numbers
       WHERE project_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR external_user_id = $3)
         AND ($4::uuid IS NULL OR id < $4::uuid)
       ORDER BY id DESC LIMIT $5`,
      [projectId, filter.status, filter.externalUserId, beforeId, limit],
    );
  }

  /** @throws a unique violation of `virtual_numbers_user` if the end user already has a number. */
  async insert(row: VirtualNumberRow, on: Queryable): Promise<void> {
    await on.query(`INSERT INTO virtual_numbers SELECT * FROM jsonb_populate_record(NULL::virtual_numbers, $1)`, [
      JSON.stringify(row),
    ]);
  }

  /** @returns null if it is released or does not exist */
  async instruct(projectId: string, id: string, change: InstructionsChange): Promise<VirtualNumberRow | null> {
    const [row] = await this.db.query<VirtualNumberRow>(
      `UPDATE virtual_numbers SET instructions = $3, audio_id = $4, audio_path = $5
       WHERE id = $1 AND project_id = $2 AND status = 'assigned' RETURNING *`,
      [id, projectId, JSON.stringify(change.instructions), change.audio_id, change.audio_path],
    );
    return row ?? null;
  }

  /** @returns null if it was already released */
  async release(id: string, at: Date, on: Queryable): Promise<VirtualNumberRow | null> {
    const [row] = await on.query<VirtualNumberRow>(
      `UPDATE virtual_numbers SET status = 'released', released_at = $2, audio_id = NULL, audio_path = NULL
       WHERE id = $1 AND status = 'assigned' RETURNING *`,
      [id, at],
    );
    return row ?? null;
  }
}
