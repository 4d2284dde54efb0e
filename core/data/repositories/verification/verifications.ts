import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import { verificationsOf } from '../../models/tables.js';
import type { CodeRow, VerificationRow } from '../../rows.js';
import type { CallScope } from '../calls/calls.js';

type CodeOf = Pick<CodeRow, 'state' | 'length' | 'attempts' | 'max_attempts' | 'sends' | 'sent_at' | 'expires_at'>;

/** A verification with its code. */
export type SeenVerification = VerificationRow & CodeOf;

/** How codes to a block of numbers fared: those that can no longer be entered, and how many of them were. */
export interface Conversion {
  readonly over: number;
  readonly entered: number;
}

const SEEN = `
  SELECT verification.*, code.state, code.length, code.attempts, code.max_attempts, code.sends, code.sent_at, code.expires_at
  FROM verifications AS verification JOIN one_time_codes AS code USING (id)`;

export class Verifications {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = verificationsOf(db);
  }

  create(row: VerificationRow, on: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  /** Null for a malformed id and for one outside the scope, too. */
  async get(scope: CallScope, id: string): Promise<SeenVerification | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<SeenVerification>(
      `${SEEN} WHERE id = $1 AND project_id = $2 AND (verification.sandbox OR NOT $3)`,
      [id, scope.projectId, scope.sandboxOnly],
    );
    return row ?? null;
  }

  /** These, wherever they belong. */
  of(on: Queryable, ids: readonly string[]): Promise<SeenVerification[]> {
    return on.query<SeenVerification>(`${SEEN} WHERE id = ANY ($1::uuid[])`, [ids]);
  }

  /** What a request of this key made, if it did. */
  async findByRequest(projectId: string, keyId: string, requestId: string): Promise<SeenVerification | null> {
    const [row] = await this.db.query<SeenVerification>(
      `${SEEN} WHERE request_id = $3 AND project_id = $1 AND created_by_key = $2 ORDER BY id DESC LIMIT 1`,
      [projectId, keyId, requestId],
    );
    return row ?? null;
  }

  /** Of an organization's codes to a block of numbers since then. */
  async conversion(organizationId: string, block: string, since: Date, now: Date): Promise<Conversion> {
    const [row] = await this.db.query<Conversion>(
      `SELECT count(*) AS over, count(*) FILTER (WHERE code.state = 'used') AS entered
       FROM verifications AS verification JOIN one_time_codes AS code USING (id)
       WHERE organization_id = $1 AND number_block = $2 AND NOT verification.sandbox AND verification.created_at >= $3
         AND (code.state IN ('used', 'spent', 'expired') OR (code.state = 'pending' AND code.expires_at <= $4))`,
      [organizationId, block, since, now],
    );
    return row ?? { over: 0, entered: 0 };
  }
}
