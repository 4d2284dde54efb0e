import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { AuditRow, ConferenceRecordingRow, LegRecordingRow, RecordingRow } from '../../rows.js';
import { insertAuditRows } from '../accounts/audit.js';

/** Audio to delete from its storage. */
export interface Removal {
  readonly recording_id: string;
  readonly storage: NonNullable<RecordingRow['storage']>;
  readonly storage_key: string;
}

export interface DeletedRecordings {
  readonly rows: readonly RecordingRow[];
  readonly removals: readonly Removal[];
}

/** Builds the audit row for a deleted recording. */
export type AuditOf = (row: RecordingRow) => AuditRow;

/** A failed or interrupted removal is retried after this time, by PostgreSQL's clock. */
const RETRY_IN = `interval '1 minute'`;

/** Operations on stored recordings. Until a recording is stored, its call writes it. */
export class Recordings {
  constructor(private readonly db: Database) {}

  /** Null for a malformed id, too. */
  async find(id: string): Promise<RecordingRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<RecordingRow>(`SELECT * FROM recordings WHERE id = $1`, [id], { prepared: true });
    return row ?? null;
  }

  /** Recordings of the call's legs, in order of start, without voicemail messages. */
  ofCall(callId: string): Promise<LegRecordingRow[]> {
    return this.db.query<LegRecordingRow>(
      `SELECT * FROM recordings WHERE call_id = $1 AND conference_id IS NULL AND box_id IS NULL ORDER BY id`,
      [callId],
      { prepared: true },
    );
  }

  /** In order of start. */
  ofConference(conferenceId: string): Promise<ConferenceRecordingRow[]> {
    return this.db.query<ConferenceRecordingRow>(`SELECT * FROM recordings WHERE conference_id = $1 ORDER BY id`, [
      conferenceId,
    ]);
  }

  /**
   * A project's recordings, newest first; only those of one call's legs if an id is given. Without
   * voicemail messages.
   */
  list(
    projectId: string,
    callId: string | null,
    limit: number,
    beforeId: string | null = null,
  ): Promise<RecordingRow[]> {
    return this.db.query<RecordingRow>(
      `SELECT * FROM recordings
       WHERE project_id = $1 AND box_id IS NULL AND ($2::uuid IS NULL OR call_id = $2 AND conference_id IS NULL)
         AND ($4::uuid IS NULL OR id < $4)
       ORDER BY id DESC LIMIT $3`,
      [projectId, callId, limit, beforeId],
    );
  }

  /**
   * Deletes all of these recordings, or none. From then on their audio cannot be fetched, and its
   * removal from storage is scheduled.
   * @returns null if not all of them are available and free of a legal hold.
   */
  delete(ids: readonly string[], audit?: AuditOf): Promise<DeletedRecordings | null> {
    return this.db.transaction(async (tx) => {
      const rows = await tx.query<RecordingRow>(
        `SELECT * FROM recordings
         WHERE id = ANY ($1::uuid[]) AND status = 'available' AND NOT legal_hold FOR UPDATE`,
        [ids],
      );
      return rows.length === ids.length ? removeRecordings(tx, rows, audit) : null;
    });
  }

  /**
   * Deletes recordings past their project's retention by PostgreSQL's clock, oldest first. Safe to
   * run in several processes: each takes other rows.
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
      return removeRecordings(tx, rows, audit);
    });
  }

  /** Recordings that are to become a voicemail box's greeting, oldest first, without those in `except`. */
  greetings(except: readonly string[]): Promise<RecordingRow[]> {
    return this.db.query<RecordingRow>(
      `SELECT * FROM recordings WHERE is_greeting AND status = 'available' AND id <> ALL ($1::uuid[])
       ORDER BY id LIMIT 50`,
      [except],
    );
  }

  /** Takes due removals; for a minute no other process gets them. */
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

  /** Records that the audio was removed. */
  async completeRemoval(recordingId: string): Promise<void> {
    await this.db.query(`DELETE FROM recording_removals WHERE recording_id = $1`, [recordingId]);
  }

  /**
   * @returns the updated recording; null if the project has no such recording, or a deleted one.
   */
  setLegalHold(projectId: string, id: string, hold: boolean, audit: AuditRow | null): Promise<RecordingRow | null> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.query<RecordingRow>(
        `UPDATE recordings SET legal_hold = $3 WHERE id = $1 AND project_id = $2 AND status <> 'deleted' RETURNING *`,
        [id, projectId, hold],
      );
      if (!row) return null;
      if (audit !== null) await insertAuditRows(tx, [audit]);
      return row;
    });
  }
}

/** Deletes recordings that are available, free of a legal hold, and locked by the transaction. */
export async function removeRecordings(
  tx: Queryable,
  rows: readonly RecordingRow[],
  audit?: AuditOf,
): Promise<DeletedRecordings> {
  if (rows.length === 0) return { rows, removals: [] };
  const ids = rows.map(({ id }) => id);
  await tx.query(`DELETE FROM voicemails WHERE id = ANY ($1::uuid[])`, [ids]);
  await tx.query(`DELETE FROM transcripts WHERE recording_id = ANY ($1::uuid[])`, [ids]);
  await tx.query(`UPDATE recordings SET status = 'deleted', deleted_at = now() WHERE id = ANY ($1::uuid[])`, [ids]);
  // The process that deletes a recording removes its audio at once; the sweep handles failures.
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
