import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { AuditRow, ConferenceRecordingRow, LegRecordingRow, RecordingRow } from '../../rows.js';
import { insertAuditRows } from '../accounts/audit.js';

/** Audio that is to go from its storage. */
export interface Removal {
  readonly recording_id: string;
  readonly storage: NonNullable<RecordingRow['storage']>;
  readonly storage_key: string;
}

export interface DeletedRecordings {
  readonly rows: readonly RecordingRow[];
  readonly removals: readonly Removal[];
}

/** What the audit log is told of each deleted recording. */
export type AuditOf = (row: RecordingRow) => AuditRow;

/** By PostgreSQL's clock; a removal that failed, or whose process died, is tried again after this time. */
const RETRY_IN = `interval '1 minute'`;

/** What is done with recordings once they are kept; until then they belong to their calls. */
export class Recordings {
  constructor(private readonly db: Database) {}

  /** Null for a malformed id, too. */
  async find(id: string): Promise<RecordingRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<RecordingRow>(`SELECT * FROM recordings WHERE id = $1`, [id], { prepared: true });
    return row ?? null;
  }

  /** Of the call's legs, in the order in which they were begun; messages are not among them. */
  ofCall(callId: string): Promise<LegRecordingRow[]> {
    return this.db.query<LegRecordingRow>(
      `SELECT * FROM recordings WHERE call_id = $1 AND conference_id IS NULL AND box_id IS NULL ORDER BY id`,
      [callId],
      { prepared: true },
    );
  }

  /** In the order in which they were begun. */
  ofConference(conferenceId: string): Promise<ConferenceRecordingRow[]> {
    return this.db.query<ConferenceRecordingRow>(`SELECT * FROM recordings WHERE conference_id = $1 ORDER BY id`, [
      conferenceId,
    ]);
  }

  /** A project's, newest first; of one call's legs where one is named. Messages are not among them. */
  list(projectId: string, callId: string | null, limit: number): Promise<RecordingRow[]> {
    return this.db.query<RecordingRow>(
      `SELECT * FROM recordings
       WHERE project_id = $1 AND box_id IS NULL AND ($2::uuid IS NULL OR call_id = $2 AND conference_id IS NULL)
       ORDER BY id DESC LIMIT $3`,
      [projectId, callId, limit],
    );
  }

  /**
   * Delete these recordings, or none of them. Their audio is unreachable from here on, and noted to be removed.
   * @returns null where not all of them are available and free of a legal hold.
   */
  delete(ids: readonly string[], audit?: AuditOf): Promise<DeletedRecordings | null> {
    return this.db.transaction(async (tx) => {
      const rows = await tx.query<RecordingRow>(
        `SELECT * FROM recordings
         WHERE id = ANY ($1::uuid[]) AND status = 'available' AND NOT legal_hold FOR UPDATE`,
        [ids],
      );
      return rows.length === ids.length ? remove(tx, rows, audit) : null;
    });
  }

  /**
   * Delete recordings that their projects have kept for long enough by PostgreSQL's clock, the oldest first. Several processes may do so at
   * a time: each takes other rows.
   */
  deleteExpired(limit: number, audit: AuditOf): Promise<DeletedRecordings> {
    return this.db.transaction(async (tx) => {
      const rows = await tx.query<RecordingRow>(
        `SELECT recording.* FROM projects AS project
         CROSS JOIN LATERAL (
           SELECT * FROM recordings
           WHERE project_id = project.id AND status = 'available' AND NOT legal_hold
             AND ended_at < now() - make_interval(days => project.recording_retention_days)
           ORDER BY ended_at LIMIT $1
           FOR UPDATE SKIP LOCKED
         ) AS recording
         WHERE project.recording_retention_days IS NOT NULL
         LIMIT $1`,
        [limit],
      );
      return remove(tx, rows, audit);
    });
  }

  /** What is to be the greeting of a voicemail box, oldest first. */
  greetings(): Promise<RecordingRow[]> {
    return this.db.query<RecordingRow>(
      `SELECT * FROM recordings WHERE is_greeting AND status = 'available' ORDER BY id LIMIT 50`,
    );
  }

  /** Take removals that are due; for a minute nobody else gets them. */
  takeRemovals(limit: number): Promise<Removal[]> {
    return this.db.query<Removal>(
      `UPDATE recording_removals SET due_at = now() + ${RETRY_IN}
       WHERE recording_id IN (
         SELECT recording_id FROM recording_removals WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
       )
       RETURNING recording_id, storage, storage_key`,
      [limit],
    );
  }

  /** The audio is gone. */
  async removed(recordingId: string): Promise<void> {
    await this.db.query(`DELETE FROM recording_removals WHERE recording_id = $1`, [recordingId]);
  }

  /** @returns the recording as it is now; null where the project has no such recording, or a deleted one. */
  setLegalHold(projectId: string, id: string, hold: boolean, audit: AuditRow): Promise<RecordingRow | null> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.query<RecordingRow>(
        `UPDATE recordings SET legal_hold = $3 WHERE id = $1 AND project_id = $2 AND status <> 'deleted' RETURNING *`,
        [id, projectId, hold],
      );
      if (!row) return null;
      await insertAuditRows(tx, [audit]);
      return row;
    });
  }
}

async function remove(tx: Queryable, rows: readonly RecordingRow[], audit?: AuditOf): Promise<DeletedRecordings> {
  if (rows.length === 0) return { rows, removals: [] };
  const ids = rows.map(({ id }) => id);
  await tx.query(`DELETE FROM voicemails WHERE id = ANY ($1::uuid[])`, [ids]);
  await tx.query(`DELETE FROM transcripts WHERE recording_id = ANY ($1::uuid[])`, [ids]);
  await tx.query(`UPDATE recordings SET status = 'deleted', deleted_at = now() WHERE id = ANY ($1::uuid[])`, [ids]);
  // The one who deletes removes the audio at once; the sweep comes for what is left.
  const removals = await tx.query<Removal>(
    `INSERT INTO recording_removals
     SELECT id, storage, storage_key, now() + ${RETRY_IN} FROM recordings WHERE id = ANY ($1::uuid[])
     RETURNING recording_id, storage, storage_key`,
    [ids],
  );
  await tx.query(
    `UPDATE calls SET recording_available = false
     WHERE id = ANY ($1::uuid[])
       AND NOT EXISTS (
         SELECT FROM recordings
         WHERE call_id = calls.id AND status = 'available' AND conference_id IS NULL AND box_id IS NULL
       )`,
    [rows.filter((row) => row.conference_id === null && row.box_id === null).map((row) => row.call_id)],
  );
  if (audit) await insertAuditRows(tx, rows.map(audit));
  return { rows, removals };
}
