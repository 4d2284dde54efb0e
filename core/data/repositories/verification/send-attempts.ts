import type { Database, Queryable } from '../../database.js';
import type {
  CallRow,
  CodeRow,
  MessageRow,
  SendAttemptRow,
  SendFailure,
  SendStep,
  VerificationRow,
} from '../../rows.js';

/** An attempt that may be over, with its verification. */
export type DueAttempt = SendAttemptRow &
  Pick<
    VerificationRow,
    | 'organization_id'
    | 'project_id'
    | 'language'
    | 'sandbox'
    | 'brand_id'
    | 'end_user_ip'
    | 'created_by_key'
    | 'fallback'
  > &
  Pick<CodeRow, 'lifetime_seconds'> & {
    readonly call_disposition: CallRow['disposition'];
    /** Whether somebody has answered and heard the code. */
    readonly is_spoken: boolean;
    readonly message_status: MessageRow['status'] | null;
    readonly message_reason: MessageRow['error_reason'];
  };

/** An attempt without a call is lost with its process after this time. */
const LOST_AFTER = `interval '60 seconds'`;
/** Not every carrier reports deliveries: a message counts as sent if no report came for this time. */
const SILENT_AFTER = `interval '60 seconds'`;
/** A person waits for a code: if the provider does not take it in this time, another channel must. */
const STUCK_AFTER = `interval '20 seconds'`;

/** The sendings of codes. */
export class SendAttempts {
  constructor(private readonly db: Database) {}

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  /** Begins with the first channel. */
  async begin(verificationId: string, { channel, recipient }: SendStep, at: Date, on: Queryable = this.db) {
    const [row] = await on.query<SendAttemptRow>(
      `INSERT INTO verification_attempts (verification_id, number, step, channel, recipient, state, created_at)
       SELECT $1, coalesce(max(number), 0) + 1, 0, $2, $3, 'sending', $4 FROM verification_attempts WHERE verification_id = $1
       RETURNING *`,
      [verificationId, channel, recipient, at],
    );
    if (!row) throw new Error('an insert returns its row');
    return row;
  }

  /** The call that speaks the code was placed, or the message that carries it waits for its provider. */
  async setCarrier(
    { verification_id, number }: SendAttemptRow,
    carrier: { readonly callId: string } | { readonly messageId: string },
  ): Promise<void> {
    const [column, id] = 'callId' in carrier ? ['call_id', carrier.callId] : ['message_id', carrier.messageId];
    await this.db.query(`UPDATE verification_attempts SET ${column} = $3 WHERE verification_id = $1 AND number = $2`, [
      verification_id,
      number,
      id,
    ]);
  }

  /**
   * Takes back the message of an attempt if no process submits it yet: the code goes another way.
   */
  async cancelMessage({ message_id }: SendAttemptRow, on: Queryable): Promise<void> {
    await on.query(
      `UPDATE messages SET status = 'cancelled', due_at = NULL, body = NULL
       WHERE id = $1 AND is_system AND status = 'queued' AND due_at IS NOT NULL`,
      [message_id],
    );
  }

  async sent({ verification_id, number }: SendAttemptRow, at: Date, on: Queryable = this.db): Promise<void> {
    await on.query(
      `UPDATE verification_attempts SET state = 'sent', ended_at = $3
       WHERE verification_id = $1 AND number = $2 AND state = 'sending'`,
      [verification_id, number, at],
    );
  }

  /**
   * Ends a failed attempt, and begins one with the next channel.
   * @returns null if there is no further channel, the code can no longer be entered, or another sending began meanwhile
   */
  async fail(
    { verification_id, number, step }: SendAttemptRow,
    reason: SendFailure,
    next: SendStep | undefined,
    at: Date,
    on: Queryable = this.db,
  ): Promise<SendAttemptRow | null> {
    const [row] = await on.query<SendAttemptRow>(
      `WITH failed AS (
         UPDATE verification_attempts SET state = 'failed', reason = $3, ended_at = $4
         WHERE verification_id = $1 AND number = $2 AND state = 'sending' RETURNING number
       )
       INSERT INTO verification_attempts (verification_id, number, step, channel, recipient, state, created_at)
       SELECT $1, failed.number + 1, $5, $6, $7, 'sending', $4 FROM failed
       WHERE $6::text IS NOT NULL
         AND EXISTS (SELECT FROM one_time_codes WHERE id = $1 AND state = 'pending' AND expires_at > $4)
         AND NOT EXISTS (SELECT FROM verification_attempts AS later WHERE later.verification_id = $1 AND later.number > $2)
       RETURNING *`,
      [verification_id, number, reason, at, step + 1, next?.channel ?? null, next?.recipient ?? null],
    );
    return row ?? null;
  }

  /** Locks up to `limit` attempts that are over but not recorded as such, skipping those of other processes. */
  due(on: Queryable, now: Date, limit: number): Promise<DueAttempt[]> {
    return on.query<DueAttempt>(
      `SELECT attempt.*, verification.organization_id, verification.project_id, verification.language, verification.sandbox,
         verification.brand_id, verification.end_user_ip, verification.created_by_key, verification.fallback,
         code.lifetime_seconds, call.disposition AS call_disposition, spoken.is_spoken,
         message.status AS message_status, message.error_reason AS message_reason
       FROM verification_attempts AS attempt
       JOIN verifications AS verification ON verification.id = attempt.verification_id
       JOIN one_time_codes AS code ON code.id = attempt.verification_id
       LEFT JOIN calls AS call ON call.id = attempt.call_id
       LEFT JOIN messages AS message ON message.id = attempt.message_id
       CROSS JOIN LATERAL (
         SELECT EXISTS (SELECT FROM call_timeline WHERE call_id = attempt.call_id AND type = 'code.spoken') AS is_spoken
       ) AS spoken
       WHERE attempt.state = 'sending' AND (call.ended_at IS NOT NULL OR spoken.is_spoken
         OR message.status IN ('delivered', 'read', 'failed')
         OR (message.status = 'sent' AND message.sent_at < $1::timestamptz - ${SILENT_AFTER})
         OR (message.status = 'queued' AND attempt.created_at < $1::timestamptz - ${STUCK_AFTER})
         OR (attempt.call_id IS NULL AND message.id IS NULL AND attempt.created_at < $1::timestamptz - ${LOST_AFTER}))
       ORDER BY attempt.created_at LIMIT $2 FOR UPDATE OF attempt SKIP LOCKED`,
      [now, limit],
    );
  }
}
