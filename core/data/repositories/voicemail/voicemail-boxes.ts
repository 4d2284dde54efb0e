import type { Database, Queryable } from '../../database.js';
import type { GreetingRow, VoicemailBoxRow } from '../../rows.js';

/** A box with its number. */
export interface NumberedBox extends VoicemailBoxRow {
  readonly e164: string;
  readonly sandbox: boolean;
}

/** The settings of a box. */
export type BoxSettings = Pick<
  VoicemailBoxRow,
  | 'enabled'
  | 'greeting'
  | 'max_seconds'
  | 'transcribe'
  | 'notify_email'
  | 'notify_audio'
  | 'notify_message'
  | 'pin_hash'
>;

export type PinOutcome = 'right' | 'wrong' | 'locked';

/** Consecutive wrong PINs before the box is locked, and for how long. */
const MOST_FAILURES = 5;
const LOCKED_FOR = `interval '15 minutes'`;

export class VoicemailBoxes {
  constructor(private readonly db: Database) {}

  /** Null if the number has no box. */
  async get(numberId: string): Promise<NumberedBox | null> {
    const [row] = await this.db.query<NumberedBox>(
      `SELECT box.*, number.e164, number.sandbox FROM voicemail_boxes AS box JOIN numbers AS number ON number.id = box.number_id
       WHERE box.number_id = $1 AND number.project_id = box.project_id AND number.state = 'assigned'`,
      [numberId],
      { prepared: true },
    );
    return row ?? null;
  }

  /** Includes boxes whose number was released or belongs to another project by now. */
  async getOfAnyOwner(numberId: string): Promise<NumberedBox | null> {
    const [row] = await this.db.query<NumberedBox>(
      `SELECT box.*, number.e164, number.sandbox FROM voicemail_boxes AS box JOIN numbers AS number ON number.id = box.number_id
       WHERE box.number_id = $1`,
      [numberId],
      { prepared: true },
    );
    return row ?? null;
  }

  /** The box of the first live number that rings this agent. */
  async ofAgent(projectId: string, agent: string): Promise<NumberedBox | null> {
    const [row] = await this.db.query<NumberedBox>(
      `SELECT box.*, number.e164, number.sandbox FROM voicemail_boxes AS box JOIN numbers AS number ON number.id = box.number_id
       WHERE box.project_id = $1 AND number.project_id = $1 AND number.state = 'assigned' AND NOT number.sandbox AND box.enabled
         AND number.binding->>'type' = 'agent' AND number.binding->>'target' = $2
       ORDER BY number.id LIMIT 1`,
      [projectId, agent],
      { prepared: true },
    );
    return row ?? null;
  }

  /** The number whose box uses an uploaded audio file as its greeting, or null. */
  async greetingWith(projectId: string, audioId: string): Promise<string | null> {
    const [row] = await this.db.query<{ e164: string }>(
      `SELECT number.e164 FROM voicemail_boxes AS box JOIN numbers AS number ON number.id = box.number_id
       WHERE box.project_id = $1 AND number.project_id = $1 AND box.greeting->>'audio_id' = $2 LIMIT 1`,
      [projectId, audioId],
    );
    return row?.e164 ?? null;
  }

  /**
   * Creates or changes the box. A new PIN resets the failures. Takes over the box of a project that
   * had the number before.
   */
  async put(
    owner: Pick<VoicemailBoxRow, 'number_id' | 'organization_id' | 'project_id'>,
    settings: BoxSettings,
    at: Date,
  ): Promise<void> {
    const { enabled, greeting, max_seconds, transcribe, notify_email, notify_audio, notify_message, pin_hash } =
      settings;
    await this.db.query(
      `INSERT INTO voicemail_boxes AS known
         (number_id, organization_id, project_id, enabled, greeting, max_seconds, transcribe, notify_email, notify_audio, pin_hash, changed_at,
          notify_message)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       ON CONFLICT (number_id) DO UPDATE SET
         organization_id = excluded.organization_id, project_id = excluded.project_id, enabled = excluded.enabled,
         greeting = excluded.greeting, max_seconds = excluded.max_seconds, transcribe = excluded.transcribe,
         notify_email = excluded.notify_email, notify_audio = excluded.notify_audio, pin_hash = excluded.pin_hash, changed_at = excluded.changed_at,
         notify_message = excluded.notify_message,
         pin_failures = CASE WHEN known.pin_hash IS NOT DISTINCT FROM excluded.pin_hash THEN known.pin_failures ELSE 0 END,
         pin_locked_until =
           CASE WHEN known.pin_hash IS NOT DISTINCT FROM excluded.pin_hash THEN known.pin_locked_until END`,
      [
        ...[owner.number_id, owner.organization_id, owner.project_id, enabled],
        ...[greeting === null ? null : JSON.stringify(greeting), max_seconds, transcribe, notify_email],
        ...[notify_audio, pin_hash, at, notify_message === null ? null : JSON.stringify(notify_message)],
      ],
    );
  }

  async setGreeting(numberId: string, greeting: GreetingRow | null, on: Queryable = this.db): Promise<void> {
    await on.query(`UPDATE voicemail_boxes SET greeting = $2, changed_at = now() WHERE number_id = $1`, [
      numberId,
      greeting === null ? null : JSON.stringify(greeting),
    ]);
  }

  /**
   * Checks a PIN and counts the attempt in one statement, so that concurrent attempts all count.
   * After five wrong PINs in a row every PIN is refused for 15 minutes, by PostgreSQL's clock.
   */
  async tryPin(numberId: string, pinHash: string): Promise<PinOutcome> {
    const [row] = await this.db.query<{ outcome: PinOutcome }>(
      `WITH box AS (
         SELECT number_id, pin_hash = $2 AS is_right, coalesce(pin_locked_until > now(), false) AS is_locked, pin_failures
         FROM voicemail_boxes WHERE number_id = $1 AND pin_hash IS NOT NULL FOR UPDATE
       ), counted AS (
         UPDATE voicemail_boxes SET
           pin_failures = CASE WHEN box.is_right OR box.pin_failures + 1 >= ${MOST_FAILURES} THEN 0 ELSE box.pin_failures + 1 END,
           pin_locked_until =
             CASE WHEN NOT box.is_right AND box.pin_failures + 1 >= ${MOST_FAILURES} THEN now() + ${LOCKED_FOR} END
         FROM box WHERE voicemail_boxes.number_id = box.number_id AND NOT box.is_locked
       )
       SELECT CASE WHEN is_locked THEN 'locked' WHEN is_right THEN 'right' ELSE 'wrong' END AS outcome FROM box`,
      [numberId, pinHash],
    );
    return row?.outcome ?? 'wrong';
  }
}
