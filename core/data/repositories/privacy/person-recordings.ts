import type { RecordingRow } from '../../rows.js';
import type { Queryable } from '../../database.js';

/** A recording in which the person was heard. */
export interface FoundRecording extends Pick<
  RecordingRow,
  'id' | 'call_id' | 'conference_id' | 'box_id' | 'status' | 'storage' | 'storage_key' | 'legal_hold'
> {
  /** It is the recording of another person's side of a call that this person only joined. */
  readonly is_other: boolean;
}

/**
 * Recordings of the calls in which the person of a job was found, and of the conferences that these calls were in, by
 * id, those after `after`. `$3`: the person's number, if it is known.
 */
const FOUND = `
  SELECT id, call_id, conference_id, box_id, status, storage, storage_key, legal_hold, is_other FROM (
    SELECT recording.*, found.is_party AND NOT EXISTS (
        SELECT FROM legs WHERE legs.id = recording.leg_id AND legs.number = $3
      ) AS is_other
    FROM privacy_calls AS found
    JOIN recordings AS recording ON recording.call_id = found.call_id AND recording.conference_id IS NULL
    WHERE found.job_id = $1
    UNION
    SELECT recording.*, false FROM privacy_calls AS found
    JOIN conference_participants AS participant ON participant.call_id = found.call_id
    JOIN recordings AS recording ON recording.conference_id = participant.conference_id
    WHERE found.job_id = $1 AND NOT found.is_party
  ) AS recorded
  WHERE ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $4`;

export function foundRecordings(
  on: Queryable,
  jobId: string,
  after: string | null,
  number: string | null,
  limit: number,
): Promise<FoundRecording[]> {
  return on.query<FoundRecording>(FOUND, [jobId, after, number, limit]);
}

/** Recordings that can be erased, locked, and how much was made of them. */
export interface ErasableRecordings {
  readonly rows: readonly RecordingRow[];
  readonly voicemails: number;
  readonly transcripts: number;
}

/** Of these recordings, those that are stored and are not held for a court or an authority. */
export async function lockErasable(tx: Queryable, ids: readonly string[]): Promise<ErasableRecordings> {
  const rows = await tx.query<RecordingRow>(
    `SELECT * FROM recordings WHERE id = ANY ($1::uuid[]) AND status = 'available' AND NOT legal_hold FOR UPDATE`,
    [ids],
  );
  const [counted] = await tx.query<{ voicemails: number; transcripts: number }>(
    `SELECT (SELECT count(*)::int FROM voicemails WHERE id = ANY ($1::uuid[])) AS voicemails,
            (SELECT count(*)::int FROM transcripts WHERE recording_id = ANY ($1::uuid[])) AS transcripts`,
    [rows.map(({ id }) => id)],
  );
  return { rows, voicemails: counted?.voicemails ?? 0, transcripts: counted?.transcripts ?? 0 };
}
