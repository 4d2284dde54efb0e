import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import { verificationsOf } from '../../models/tables.js';
import type { CodeRow, SendAttemptRow, VerificationRow } from '../../rows.js';
import type { CallScope } from '../calls/calls.js';
import { CONVERSION, OVER, type Conversion } from './codes.js';

/** A sending of the code; the time is ISO 8601. */
export type SeenAttempt = Pick<SendAttemptRow, 'channel' | 'recipient' | 'state' | 'reason'> & { readonly at: string };

type CodeOf = Pick<CodeRow, 'state' | 'length' | 'attempts' | 'max_attempts' | 'sends' | 'sent_at' | 'expires_at'>;

/** A verification with its code. */
export type VerificationView = VerificationRow & CodeOf & { readonly send_attempts: readonly SeenAttempt[] };

const SEEN = `
  SELECT verification.*, code.state, code.length, code.attempts, code.max_attempts, code.sends, code.sent_at, code.expires_at,
    (SELECT coalesce(json_agg(json_build_object('channel', attempt.channel, 'recipient', attempt.recipient, 'state', attempt.state,
       'reason', attempt.reason, 'at', attempt.created_at) ORDER BY attempt.number), '[]')
     FROM verification_attempts AS attempt WHERE verification_id = verification.id) AS send_attempts
  FROM verifications AS verification JOIN one_time_codes AS code USING (id)`;

export class Verifications {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = verificationsOf(db);
  }

  create(row: VerificationRow, on: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  /** Null for a malformed id and for a verification outside the scope. */
  async get(scope: CallScope, id: string): Promise<VerificationView | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<VerificationView>(
      `${SEEN} WHERE id = $1 AND project_id = $2 AND (verification.sandbox OR NOT $3)`,
      [id, scope.projectId, scope.sandboxOnly],
    );
    return row ?? null;
  }

  /** Verifications by id, without a scope. */
  of(on: Queryable, ids: readonly string[]): Promise<VerificationView[]> {
    return on.query<VerificationView>(`${SEEN} WHERE id = ANY ($1::uuid[])`, [ids]);
  }

  /** The verification created by a request of this key, or null. */
  async createdBy(projectId: string, keyId: string, requestId: string): Promise<VerificationView | null> {
    const [row] = await this.db.query<VerificationView>(
      `${SEEN} WHERE request_id = $3 AND project_id = $1 AND created_by_key = $2 ORDER BY id DESC LIMIT 1`,
      [projectId, keyId, requestId],
    );
    return row ?? null;
  }

  /** Conversion of an organization's codes to a block of numbers since then. */
  async conversion(organizationId: string, block: string, since: Date, now: Date): Promise<Conversion> {
    const [row] = await this.db.query<Conversion>(
      `SELECT ${CONVERSION}
       FROM verifications AS verification JOIN one_time_codes AS code USING (id)
       WHERE verification.organization_id = $1 AND verification.number_block = $2
         AND NOT verification.sandbox AND verification.created_at >= $3
         AND ${OVER}`,
      [organizationId, block, since, now],
    );
    return row ?? { over: 0, entered: 0 };
  }
}
