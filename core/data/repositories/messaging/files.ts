import { isId } from '../../../model/ids.js';
import type { Database } from '../../database.js';
import type { MessageFileRow } from '../../rows.js';
import type { ProjectKind } from '../project-kind.js';

/** The files that projects have uploaded for their messages. */
export class MessageFileTable {
  constructor(private readonly db: Database) {}

  /** @returns false if the project's files of this kind would then take more than `mostBytes` */
  async createWithin(row: MessageFileRow, mostBytes: number): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      // Two uploads that count at the same moment do not see each other.
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 1))`, [row.project_id]);
      const [used] = await tx.query<{ bytes: number }>(
        `SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM message_files WHERE project_id = $1 AND sandbox = $2`,
        [row.project_id, row.sandbox],
      );
      if ((used?.bytes ?? 0) + row.bytes > mostBytes) return false;
      await tx.query(`INSERT INTO message_files SELECT * FROM jsonb_populate_record(NULL::message_files, $1)`, [
        JSON.stringify(row),
      ]);
      return true;
    });
  }

  /** Null for a malformed id, for one of another project or kind, and for one that has expired. */
  async get({ projectId, sandbox }: ProjectKind, id: string, now: Date): Promise<MessageFileRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<MessageFileRow>(
      `SELECT * FROM message_files WHERE id = $3 AND project_id = $1 AND sandbox = $2 AND expires_at > $4`,
      [projectId, sandbox, id, now],
    );
    return row ?? null;
  }

  /** Up to `limit` before an id, newest first. */
  list({ projectId, sandbox }: ProjectKind, before: string | null, limit: number): Promise<MessageFileRow[]> {
    return this.db.query<MessageFileRow>(
      `SELECT * FROM message_files WHERE project_id = $1 AND sandbox = $2 AND ($3::uuid IS NULL OR id < $3)
       ORDER BY id DESC LIMIT $4`,
      [projectId, sandbox, before, limit],
    );
  }

  async createdBy(projectId: string, keyId: string, requestId: string): Promise<MessageFileRow | null> {
    const [row] = await this.db.query<MessageFileRow>(
      `SELECT * FROM message_files WHERE request_id = $3 AND project_id = $1 AND created_by_key = $2`,
      [projectId, keyId, requestId],
    );
    return row ?? null;
  }

  expired(now: Date, limit: number): Promise<MessageFileRow[]> {
    return this.db.query<MessageFileRow>(
      `SELECT * FROM message_files WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2`,
      [now, limit],
    );
  }

  async remove(id: string): Promise<void> {
    await this.db.query(`DELETE FROM message_files WHERE id = $1`, [id]);
  }
}
