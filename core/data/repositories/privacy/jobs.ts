import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { PrivacyJobRow } from '../../rows.js';
import { WorkRows } from './work.js';

/** Exports and erasures of what organizations hold of people. */
export class PrivacyJobs extends WorkRows<PrivacyJobRow> {
  constructor(private readonly database: Database) {
    super(database, 'privacy_jobs');
  }

  /** Null for a malformed id, for the other kind, and for a job of another organization. */
  async get(organizationId: string, kind: PrivacyJobRow['kind'], id: string): Promise<PrivacyJobRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.database.query<PrivacyJobRow>(
      `SELECT * FROM privacy_jobs WHERE id = $1 AND organization_id = $2 AND kind = $3`,
      [id, organizationId, kind],
    );
    return row ?? null;
  }

  /** Newest first, those before `before`. */
  page(
    organizationId: string,
    kind: PrivacyJobRow['kind'],
    before: string | null,
    limit: number,
  ): Promise<PrivacyJobRow[]> {
    return this.database.query<PrivacyJobRow>(
      `SELECT * FROM privacy_jobs WHERE organization_id = $1 AND kind = $2 AND ($3::uuid IS NULL OR id < $3)
       ORDER BY id DESC LIMIT $4`,
      [organizationId, kind, before, limit],
    );
  }

  /** Adds a job, unless the organization has `most` of its kind with work or an archive left. @returns whether it did */
  add(row: PrivacyJobRow, most: number): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 92))`, [row.organization_id]);
      const [open] = await tx.query<{ jobs: number }>(
        `SELECT count(*)::int AS jobs FROM privacy_jobs
         WHERE organization_id = $1 AND kind = $2 AND (finished_at IS NULL OR expires_at IS NOT NULL)`,
        [row.organization_id, row.kind],
      );
      if ((open?.jobs ?? 0) >= most) return false;
      await this.insert(row, tx);
      return true;
    });
  }

  /** Forgets who the person was, and in which calls: nothing is left to do. */
  async forgetSubject(tx: Queryable, id: string): Promise<void> {
    await tx.query(`UPDATE privacy_jobs SET subject = NULL WHERE id = $1`, [id]);
    await tx.query(`DELETE FROM privacy_calls WHERE job_id = $1`, [id]);
  }
}
