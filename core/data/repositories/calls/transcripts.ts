import { CALL_STATUSES, isFinal } from '../../../model/call/call.js';
import type { Turn } from '../../../model/transcript.js';
import type { Database } from '../../database.js';
import { recordEvent } from '../../outbox.js';
import type { CallRow, EventRow, LegRow, RecordingRow, TranscriptRow, VoicemailRow } from '../../rows.js';

/** A transcript claimed by a worker, with its audio. */
export interface ClaimedTranscript {
  readonly recording_id: string;
  readonly call_id: string;
  readonly attempts: number;
  readonly leg: RecordingRow['leg'];
  readonly channels: RecordingRow['channels'];
  readonly storage: RecordingRow['storage'];
  readonly storage_key: string | null;
}

/** The result of a transcription. */
export type TranscriptOutcome =
  | ({ readonly status: 'completed'; readonly turns: readonly Turn[] } & Pick<
      TranscriptRow,
      'language' | 'confidence' | 'engine'
    >)
  | { readonly status: 'failed'; readonly problem: string };

/** The data of a transcript event. */
export interface FinishedTranscript {
  readonly transcript: TranscriptRow;
  readonly call: CallRow;
  readonly legs: readonly LegRow[];
  /** Null for a recording of the call. */
  readonly voicemail: VoicemailRow | null;
}

const FINAL = CALL_STATUSES.filter(isFinal)
  .map((status) => `'${status}'`)
  .join(', ');

/**
 * Due, with stored audio, and with a call that is over in every respect: from then on no other
 * process writes the call's events, so the next sequence number can be taken here.
 */
const READY = `
  transcript.status = 'pending' AND transcript.due_at <= now() AND recording.status = 'available'
  AND call.status IN (${FINAL})
  AND NOT EXISTS (SELECT FROM legs WHERE legs.call_id = call.id AND legs.status <> 'ended')
  AND NOT EXISTS (
    SELECT FROM recordings AS other
    WHERE other.call_id = call.id AND other.status IN ('recording', 'paused', 'held', 'stopped')
  )`;

/** Transcripts of recordings, including pending ones, which workers claim for a limited time. */
export class Transcripts {
  constructor(private readonly db: Database) {}

  /** Transcripts of the call's own recordings, oldest first. */
  ofCall(callId: string): Promise<TranscriptRow[]> {
    return this.db.query<TranscriptRow>(
      `SELECT transcript.* FROM transcripts AS transcript JOIN recordings AS recording ON recording.id = transcript.recording_id
       WHERE transcript.call_id = $1 AND recording.conference_id IS NULL AND recording.box_id IS NULL
       ORDER BY recording.id`,
      [callId],
    );
  }

  /** Recordings that are due for transcription now, oldest first. */
  async due(limit: number): Promise<string[]> {
    const rows = await this.db.query<{ recording_id: string }>(
      `SELECT transcript.recording_id FROM transcripts AS transcript
       JOIN recordings AS recording ON recording.id = transcript.recording_id
       JOIN calls AS call ON call.id = transcript.call_id
       WHERE ${READY} ORDER BY transcript.due_at LIMIT $1`,
      [limit],
    );
    return rows.map(({ recording_id }) => recording_id);
  }

  /**
   * Claims a transcript for `seconds`. @returns null if it is not due or another worker has claimed
   * it.
   */
  async claim(recordingId: string, seconds: number): Promise<ClaimedTranscript | null> {
    const [row] = await this.db.query<ClaimedTranscript>(
      `UPDATE transcripts AS transcript
       SET attempts = transcript.attempts + 1, due_at = now() + make_interval(secs => $2)
       FROM recordings AS recording, calls AS call
       WHERE transcript.recording_id = $1 AND recording.id = $1 AND call.id = transcript.call_id AND ${READY}
       RETURNING transcript.recording_id, transcript.call_id, transcript.attempts,
         recording.leg, recording.channels, recording.storage, recording.storage_key`,
      [recordingId, seconds],
    );
    return row ?? null;
  }

  /**
   * Extends a claim, or schedules a retry after `seconds`. @returns false if this attempt no longer
   * holds the claim.
   */
  async defer(
    { recording_id, attempts }: ClaimedTranscript,
    seconds: number,
    problem: string | null,
  ): Promise<boolean> {
    const rows = await this.db.query(
      `UPDATE transcripts SET due_at = now() + make_interval(secs => $3), problem = $4
       WHERE recording_id = $1 AND attempts = $2 AND status = 'pending' RETURNING recording_id`,
      [recording_id, attempts, seconds, problem],
    );
    return rows.length === 1;
  }

  /**
   * Stores the result and writes its event in the sequence of the call.
   * @returns the lanes that have new deliveries; null if this attempt no longer holds the claim.
   */
  finish(
    { recording_id, attempts }: ClaimedTranscript,
    outcome: TranscriptOutcome,
    at: Date,
    eventOf: (finished: FinishedTranscript, sequence: number) => EventRow,
  ): Promise<string[] | null> {
    return this.db.transaction(async (tx) => {
      const [transcript] = await tx.query<TranscriptRow>(
        `UPDATE transcripts SET status = $3, due_at = NULL, finished_at = $4, language = $5, confidence = $6, engine = $7,
           turns = $8::jsonb, problem = $9
         WHERE recording_id = $1 AND attempts = $2 AND status = 'pending' RETURNING *`,
        [recording_id, attempts, outcome.status, at, ...columnsOf(outcome)],
      );
      if (!transcript) return null;
      const [voicemail = null] = await tx.query<VoicemailRow>(
        `UPDATE voicemails SET transcription_status = $2, transcription_text = $3 WHERE id = $1 RETURNING *`,
        [recording_id, outcome.status, outcome.status === 'completed' ? textOf(outcome.turns) : null],
      );
      const [call] = await tx.query<CallRow>(
        `UPDATE calls SET last_sequence = last_sequence + 1 WHERE id = $1 RETURNING *`,
        [transcript.call_id],
      );
      if (!call) throw new Error('a transcript has a call');
      const legs = await tx.query<LegRow>(`SELECT * FROM legs WHERE call_id = $1 ORDER BY id`, [call.id]);
      return recordEvent(tx, eventOf({ transcript, call, legs, voicemail }, call.last_sequence));
    });
  }

  /** Marks due transcripts as disabled. @returns their number. */
  disable(at: Date): Promise<number> {
    return this.db.transaction(async (tx) => {
      const rows = await tx.query<{ recording_id: string }>(
        `UPDATE transcripts SET status = 'disabled', due_at = NULL, finished_at = $1
         WHERE status = 'pending' AND due_at <= now() RETURNING recording_id`,
        [at],
      );
      await tx.query(`UPDATE voicemails SET transcription_status = 'disabled' WHERE id = ANY ($1::uuid[])`, [
        rows.map(({ recording_id }) => recording_id),
      ]);
      return rows.length;
    });
  }
}

/** The text only, one line per turn. */
export function textOf(turns: readonly Turn[]): string {
  return turns.map(({ text }) => text).join('\n');
}

function columnsOf(outcome: TranscriptOutcome): readonly unknown[] {
  if (outcome.status === 'failed') return [null, null, null, null, outcome.problem];
  const { language, confidence, engine, turns } = outcome;
  return [language, confidence, engine, JSON.stringify(turns), null];
}
