import { isId } from '../../../model/ids.js';
import type { MessageCounts } from '../../../model/voicemail.js';
import type { Database } from '../../database.js';
import type { NotifyMessage, RecordingRow, VoicemailBoxRow, VoicemailRow } from '../../rows.js';

/** Limits messages to a project, and optionally to its sandbox. */
export interface VoicemailScope {
  readonly projectId: string;
  readonly sandboxOnly: boolean;
  /** Only messages for the numbers that ring the agent with this extension; absent or null: for all numbers. */
  readonly agent?: string | null;
}

export interface VoicemailFilter {
  /** The box's number in E.164. */
  readonly number?: string | undefined;
  readonly listened?: boolean | undefined;
}

/** A message with the location of its audio. */
export interface StoredVoicemail extends VoicemailRow {
  readonly recording_status: RecordingRow['status'];
  readonly storage: RecordingRow['storage'];
  readonly storage_key: string | null;
  readonly bytes: number | null;
}

const MESSAGE = `
  SELECT voicemail.*, recording.status AS recording_status, recording.storage, recording.storage_key, recording.bytes
  FROM voicemails AS voicemail JOIN recordings AS recording ON recording.id = voicemail.id`;

/** Whether the message was left for the agent. @param agent the placeholder of the extension, or of null */
const isFor = (agent: string): string => `(${agent}::text IS NULL OR EXISTS (
    SELECT FROM numbers AS number WHERE number.id = voicemail.box_id AND number.project_id = voicemail.project_id
      AND number.binding->>'type' = 'agent' AND number.binding->>'target' = ${agent}
  ))`;

/** A message that is due to be mailed. */
export interface DueVoicemail extends VoicemailRow {
  /** `mail_attempts`, including this one. */
  readonly attempts: number;
  /** Current setting of its box. */
  readonly with_audio: boolean;
}

/** A message that the owner of its box wants announced. */
export interface DueNotice extends VoicemailRow {
  readonly notify: NotifyMessage;
}

export class Voicemails {
  constructor(private readonly db: Database) {}

  /** Null for a malformed id, and for a message outside the scope. */
  async get(scope: VoicemailScope, id: string): Promise<StoredVoicemail | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<StoredVoicemail>(
      `${MESSAGE} WHERE voicemail.id = $1 AND voicemail.project_id = $2 AND (voicemail.sandbox OR NOT $3) AND ${isFor('$4')}`,
      [id, scope.projectId, scope.sandboxOnly, scope.agent ?? null],
    );
    return row ?? null;
  }

  /** Any message, without a scope. */
  async find(id: string): Promise<StoredVoicemail | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<StoredVoicemail>(`${MESSAGE} WHERE voicemail.id = $1`, [id]);
    return row ?? null;
  }

  /** Newest first, only those before `beforeId`. */
  list(
    scope: VoicemailScope,
    { number, listened }: VoicemailFilter,
    beforeId: string | null,
    limit: number,
  ): Promise<StoredVoicemail[]> {
    return this.db.query<StoredVoicemail>(
      `${MESSAGE}
       WHERE voicemail.project_id = $1 AND (voicemail.sandbox OR NOT $2)
         AND ($3::text IS NULL OR voicemail.number = $3)
         AND ($4::boolean IS NULL OR (voicemail.listened_at IS NOT NULL) = $4)
         AND ($5::uuid IS NULL OR voicemail.id < $5) AND ${isFor('$7')}
       ORDER BY voicemail.id DESC LIMIT $6`,
      [scope.projectId, scope.sandboxOnly, number ?? null, listened ?? null, beforeId, limit, scope.agent ?? null],
    );
  }

  /**
   * Messages of one box in the order of phone access: unheard ones first, each group oldest first.
   */
  ofBox(box: Pick<VoicemailBoxRow, 'number_id' | 'project_id'>, limit: number): Promise<StoredVoicemail[]> {
    return this.db.query<StoredVoicemail>(
      // Messages belong to the project that had the number when they were left.
      `${MESSAGE} WHERE voicemail.box_id = $1 AND voicemail.project_id = $2
       ORDER BY voicemail.listened_at IS NOT NULL, voicemail.id LIMIT $3`,
      [box.number_id, box.project_id, limit],
    );
  }

  /** A repeat keeps the first time. */
  async markListened(id: string, at: Date): Promise<void> {
    await this.db.query(`UPDATE voicemails SET listened_at = coalesce(listened_at, $2) WHERE id = $1`, [id, at]);
  }

  /**
   * Message counts for the MWI of these softphones, by address of record: messages in the boxes of
   * live numbers that ring their agents. Softphones without a box are left out.
   */
  async countsOf(aors: readonly string[]): Promise<ReadonlyMap<string, MessageCounts>> {
    if (aors.length === 0) return new Map();
    const rows = await this.db.query<{ aor: string; fresh: number; heard: number }>(
      `SELECT agent.aor,
         count(voicemail.id) FILTER (WHERE voicemail.listened_at IS NULL) AS fresh,
         count(voicemail.id) FILTER (WHERE voicemail.listened_at IS NOT NULL) AS heard
       FROM agents AS agent
       JOIN numbers AS number ON number.project_id = agent.project_id AND number.state = 'assigned' AND NOT number.sandbox
         AND number.binding->>'type' = 'agent' AND number.binding->>'target' = agent.agent
       JOIN voicemail_boxes AS box ON box.number_id = number.id AND box.project_id = number.project_id AND box.enabled
       LEFT JOIN voicemails AS voicemail ON voicemail.box_id = box.number_id AND voicemail.project_id = box.project_id
       WHERE agent.aor = ANY ($1::text[])
       GROUP BY agent.aor`,
      [aors],
      { prepared: true },
    );
    return new Map(rows.map(({ aor, fresh, heard }) => [aor, { fresh, heard }]));
  }

  /**
   * Takes messages that are to be announced: when their text is there, or after two minutes without it. A message that is
   * not {@link noticed} within a minute is taken again.
   */
  takeNotices(now: Date, limit: number): Promise<DueNotice[]> {
    return this.db.query<DueNotice>(
      `UPDATE voicemails AS voicemail SET notice_tried_at = $1::timestamptz FROM voicemail_boxes AS box
       WHERE box.number_id = voicemail.box_id AND voicemail.id IN (
         SELECT due.id FROM voicemails AS due
         JOIN voicemail_boxes AS of ON of.number_id = due.box_id AND of.project_id = due.project_id
         WHERE due.noticed_at IS NULL AND due.created_at > $1::timestamptz - interval '1 day'
           AND due.created_at >= (of.notify_message->>'since')::timestamptz
           AND (due.notice_tried_at IS NULL OR due.notice_tried_at < $1::timestamptz - interval '1 minute')
           AND (due.transcription_status <> 'pending' OR due.created_at < $1::timestamptz - interval '2 minutes')
         ORDER BY due.created_at LIMIT $2 FOR UPDATE OF due SKIP LOCKED
       )
       RETURNING voicemail.*, box.notify_message AS notify`,
      [now, limit],
    );
  }

  async noticed(id: string, at: Date): Promise<void> {
    await this.db.query(`UPDATE voicemails SET noticed_at = $2 WHERE id = $1`, [id, at]);
  }

  /**
   * Takes messages that are due to be mailed, unless they are older than two days, and schedules
   * the next retry.
   */
  takeMails(limit: number, retrySeconds: number): Promise<DueVoicemail[]> {
    return this.db.query<DueVoicemail>(
      `UPDATE voicemails SET
         mail_due_at = now() + make_interval(secs => $2 * power(2, least(mail_attempts, 10))),
         mail_attempts = mail_attempts + 1
       WHERE id IN (
         SELECT id FROM voicemails WHERE mail_due_at <= now() AND created_at > now() - interval '2 days' ORDER BY mail_due_at LIMIT $1 FOR UPDATE SKIP LOCKED
       )
       RETURNING voicemails.*, mail_attempts AS attempts,
         coalesce((SELECT notify_audio FROM voicemail_boxes WHERE number_id = box_id), true) AS with_audio`,
      [limit, retrySeconds],
    );
  }

  /** Clears the due time after the message was mailed or given up. */
  async mailDone(id: string): Promise<void> {
    await this.db.query(`UPDATE voicemails SET mail_due_at = NULL WHERE id = $1`, [id]);
  }
}
