import type { ProductionRequestStatus } from '../../../model/accounts/production.js';
import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { ProductionRequestRow } from '../../rows.js';

/** The fields that the customer can change in a draft. */
export type ProductionDetails = Pick<
  ProductionRequestRow,
  'company' | 'commercial_registration' | 'vat_number' | 'use' | 'expected_calls'
>;

type Step = Partial<Pick<ProductionRequestRow, 'status' | 'reason' | 'submitted_at' | 'ended_at' | 'identity_waived'>>;

/** A person who gets the decision by mail. */
export interface Addressee {
  readonly email: string;
  readonly locale: 'ar' | 'en';
}

/** Requests for production access. */
export class ProductionRequests {
  constructor(private readonly db: Database) {}

  /** @returns false if the organization has an open request or is a production account, and nothing is stored */
  async insert(row: ProductionRequestRow): Promise<boolean> {
    const stored = await this.db.transaction(async (tx) => {
      // Nobody approves a request in between.
      const [sandbox] = await tx.query(
        `SELECT FROM organizations WHERE id = $1 AND account_kind = 'sandbox' FOR SHARE`,
        [row.organization_id],
      );
      if (!sandbox) return [];
      return tx.query(
        `INSERT INTO production_requests SELECT * FROM jsonb_populate_record(NULL::production_requests, $1)
         ON CONFLICT (organization_id) WHERE status IN ('draft', 'submitted', 'in_review') DO NOTHING RETURNING id`,
        [JSON.stringify(row)],
      );
    });
    return stored.length === 1;
  }

  /** @param organizationId null searches all organizations */
  async get(organizationId: string | null, id: string): Promise<ProductionRequestRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<ProductionRequestRow>(
      `SELECT * FROM production_requests WHERE id = $1 AND ($2::uuid IS NULL OR organization_id = $2)`,
      [id, organizationId],
    );
    return row ?? null;
  }

  /** The organization's request that has not ended. */
  async open(organizationId: string): Promise<ProductionRequestRow | null> {
    const [row] = await this.db.query<ProductionRequestRow>(
      `SELECT * FROM production_requests WHERE organization_id = $1 AND status IN ('draft', 'submitted', 'in_review')`,
      [organizationId],
    );
    return row ?? null;
  }

  /** Newest first, only those before `beforeId`. @param organizationId null lists those of all organizations */
  page(
    organizationId: string | null,
    status: ProductionRequestStatus | null,
    beforeId: string | null,
    limit: number,
  ): Promise<ProductionRequestRow[]> {
    return this.db.query<ProductionRequestRow>(
      `SELECT * FROM production_requests
       WHERE ($1::uuid IS NULL OR organization_id = $1) AND ($2::text IS NULL OR status = $2)
         AND ($3::uuid IS NULL OR id < $3)
       ORDER BY id DESC LIMIT $4`,
      [organizationId, status, beforeId, limit],
    );
  }

  /** @returns null if it is no longer a draft */
  async change(id: string, details: Partial<ProductionDetails>): Promise<ProductionRequestRow | null> {
    const [row] = await this.db.query<ProductionRequestRow>(
      `UPDATE production_requests AS kept SET (company, commercial_registration, vat_number, use, expected_calls) =
         (SELECT company, commercial_registration, vat_number, use, expected_calls FROM jsonb_populate_record(kept, $2))
       WHERE id = $1 AND status = 'draft' RETURNING *`,
      [id, JSON.stringify(details)],
    );
    return row ?? null;
  }

  /** Takes the lock that every step of a request takes. */
  async lock(id: string, tx: Queryable): Promise<ProductionRequestRow | null> {
    const [row] = await tx.query<ProductionRequestRow>(`SELECT * FROM production_requests WHERE id = $1 FOR UPDATE`, [
      id,
    ]);
    return row ?? null;
  }

  async step(id: string, step: Step, tx: Queryable): Promise<ProductionRequestRow> {
    const [row] = await tx.query<ProductionRequestRow>(
      `UPDATE production_requests AS kept SET (status, reason, submitted_at, ended_at, identity_waived) =
         (SELECT status, reason, submitted_at, ended_at, identity_waived FROM jsonb_populate_record(kept, $2))
       WHERE id = $1 RETURNING *`,
      [id, JSON.stringify(step)],
    );
    if (!row) throw new Error(`the production request ${id} is gone although it is locked`);
    return row;
  }

  /** @returns false if the organization already is a production account */
  async makeProduction(organizationId: string, tx: Queryable): Promise<boolean> {
    const changed = await tx.query(
      `UPDATE organizations SET account_kind = 'production' WHERE id = $1 AND account_kind = 'sandbox' RETURNING id`,
      [organizationId],
    );
    return changed.length === 1;
  }

  async isProduction(organizationId: string, on: Queryable = this.db): Promise<boolean> {
    const found = await on.query(`SELECT FROM organizations WHERE id = $1 AND account_kind = 'production'`, [
      organizationId,
    ]);
    return found.length === 1;
  }

  /** The owners, and the person who made the request. */
  addressees({ organization_id, created_by }: ProductionRequestRow, tx: Queryable): Promise<Addressee[]> {
    return tx.query<Addressee>(
      `SELECT email, locale FROM users
       WHERE organization_id = $1 AND (role = 'owner' OR id = $2) AND disabled_at IS NULL ORDER BY id`,
      [organization_id, created_by],
    );
  }

  /** Whether the person has confirmed the e-mail address. */
  async isConfirmed(userId: string, on: Queryable = this.db): Promise<boolean> {
    const found = await on.query(`SELECT FROM users WHERE id = $1 AND email_confirmed_at IS NOT NULL`, [userId]);
    return found.length === 1;
  }

  async organizationName(id: string, tx: Queryable): Promise<string> {
    const [row] = await tx.query<{ name: string }>(`SELECT name FROM organizations WHERE id = $1`, [id]);
    return row?.name ?? '';
  }
}
