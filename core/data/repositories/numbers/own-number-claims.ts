import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { OwnNumberClaimRow } from '../../rows.js';
import type { ProjectKind } from '../project-kind.js';

type Decision = Pick<OwnNumberClaimRow, 'status' | 'reason' | 'number_id'>;

/** Without the call that spoke the code, which nobody may learn. */
const CLAIM = `id, organization_id, project_id, sandbox, e164, method, status, code_id, reason, number_id, expires_at,
  created_at, decided_at`;

/** Customers' claims to own numbers at other carriers. */
export class OwnNumberClaims {
  constructor(private readonly db: Database) {}

  async insert(row: OwnNumberClaimRow): Promise<void> {
    await this.db.query(
      `INSERT INTO own_number_claims SELECT * FROM jsonb_populate_record(NULL::own_number_claims, $1)`,
      [JSON.stringify(row)],
    );
  }

  /** Removes a claim that could not be set up. */
  async remove(id: string): Promise<void> {
    await this.db.query(`DELETE FROM own_number_claims WHERE id = $1`, [id]);
  }

  /** @param scope null searches the live ones of all projects */
  async get(scope: ProjectKind | null, id: string, on: Queryable = this.db): Promise<OwnNumberClaimRow | null> {
    if (!isId(id)) return null;
    const [row] = await on.query<OwnNumberClaimRow>(
      `SELECT ${CLAIM} FROM own_number_claims WHERE id = $1 AND ($2::uuid IS NULL OR project_id = $2) AND sandbox = $3`,
      [id, scope?.projectId ?? null, scope?.sandbox ?? false],
    );
    return row ?? null;
  }

  /** Newest first, only those before `beforeId`. @param scope null lists the live ones of all projects */
  page(
    scope: ProjectKind | null,
    status: OwnNumberClaimRow['status'] | null,
    beforeId: string | null,
    limit: number,
  ): Promise<OwnNumberClaimRow[]> {
    return this.db.query<OwnNumberClaimRow>(
      `SELECT ${CLAIM} FROM own_number_claims
       WHERE ($1::uuid IS NULL OR project_id = $1) AND ($2::text IS NULL OR status = $2) AND ($3::uuid IS NULL OR id < $3)
         AND sandbox = $5
       ORDER BY id DESC LIMIT $4`,
      [scope?.projectId ?? null, status, beforeId, limit, scope?.sandbox ?? false],
    );
  }

  /** @returns null if it was already decided */
  async decide(id: string, decision: Decision, at: Date, on: Queryable): Promise<OwnNumberClaimRow | null> {
    const [row] = await on.query<OwnNumberClaimRow>(
      `UPDATE own_number_claims SET status = $2, reason = $3, number_id = $4, decided_at = $5
       WHERE id = $1 AND status = 'pending' RETURNING ${CLAIM}`,
      [id, decision.status, decision.reason, decision.number_id, at],
    );
    return row ?? null;
  }

  /** Decides all claims of an organization that are pending. */
  async rejectOf(organizationId: string, reason: string, at: Date): Promise<void> {
    await this.db.query(
      `UPDATE own_number_claims SET status = 'rejected', reason = $2, decided_at = $3
       WHERE organization_id = $1 AND status = 'pending'`,
      [organizationId, reason, at],
    );
  }
}
