import type { Rate } from '../../model/rating/rate.js';
import { isId, newId } from '../../model/ids.js';
import type { Database, Queryable } from '../database.js';
import type { BillingMode, BillingProfileRow, RatePlanRow, RatePlanVersionRow, RateRow } from '../rows.js';

/** A version with its rates. */
export interface RatePlanVersion extends RatePlanVersionRow {
  readonly rates: readonly Rate[];
}

/** The plan of every organization that was given no other. */
export const DEFAULT_PLAN = 'default';

/** Rate plans, their versions, and who pays by which. Versions and rates are never changed: a newer version comes after them. */
export class RatePlans {
  constructor(private readonly db: Database) {}

  list(): Promise<RatePlanRow[]> {
    return this.db.query<RatePlanRow>(`SELECT * FROM rate_plans ORDER BY name`);
  }

  async get(id: string): Promise<RatePlanRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<RatePlanRow>(`SELECT * FROM rate_plans WHERE id = $1`, [id]);
    return row ?? null;
  }

  async findByName(name: string): Promise<RatePlanRow | null> {
    const [row] = await this.db.query<RatePlanRow>(`SELECT * FROM rate_plans WHERE name = $1`, [name]);
    return row ?? null;
  }

  /** All versions of a plan, oldest first. */
  async versions(planId: string, on: Queryable = this.db): Promise<RatePlanVersion[]> {
    const rows = await on.query<RatePlanVersionRow & { readonly rates: readonly RateRow[] }>(
      `SELECT version.*, (
         SELECT coalesce(jsonb_agg(rate ORDER BY rate.direction, rate.kind, rate.prefix), '[]') FROM rates AS rate WHERE rate.version_id = version.id
       ) AS rates
       FROM rate_plan_versions AS version WHERE version.plan_id = $1 ORDER BY version.valid_from`,
      [planId],
    );
    return rows.map((row) => ({ ...row, rates: row.rates.map(rateOfRow) }));
  }

  /**
   * Another version of the plan, and the plan with its first one. One at a time for a plan.
   * @throws a unique violation where a version is valid from that very time already
   */
  add(name: string, rates: readonly Rate[], validFrom: Date, now: Date): Promise<RatePlanVersion> {
    return this.db.transaction(async (tx) => {
      await tx.query(
        `INSERT INTO rate_plans (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING`,
        [newId(), name, now],
      );
      const [plan] = await tx.query<RatePlanRow>(`SELECT * FROM rate_plans WHERE name = $1 FOR UPDATE`, [name]);
      const [row] = await tx.query<RatePlanVersionRow>(
        `INSERT INTO rate_plan_versions (id, plan_id, version, valid_from, created_at)
         SELECT $1, $2, 1 + coalesce(max(version), 0), $3, $4 FROM rate_plan_versions WHERE plan_id = $2
         RETURNING *`,
        [newId(), plan?.id, validFrom, now],
      );
      if (!row) throw new Error('an insert returns its row');
      const rows = rates.map((rate) => ({
        version_id: row.id,
        direction: rate.direction,
        kind: rate.kind,
        prefix: rate.prefix,
        per_minute: rate.perMinute,
        increment_seconds: rate.incrementSeconds,
        minimum_seconds: rate.minimumSeconds,
      }));
      await tx.query(`INSERT INTO rates SELECT * FROM jsonb_populate_recordset(NULL::rates, $1)`, [
        JSON.stringify(rows satisfies readonly RateRow[]),
      ]);
      return { ...row, rates };
    });
  }

  /** How the organization pays, and by which plan; null where no plan has any version. */
  async profile(organizationId: string): Promise<BillingProfileRow & { readonly plan_id: string | null }> {
    const [row] = await this.db.query<BillingProfileRow>(
      `SELECT $1::uuid AS organization_id, coalesce(profile.mode, 'postpaid') AS mode,
         coalesce(profile.plan_id, (SELECT id FROM rate_plans WHERE name = '${DEFAULT_PLAN}')) AS plan_id
       FROM (SELECT) AS one LEFT JOIN billing_profiles AS profile ON profile.organization_id = $1`,
      [organizationId],
      { prepared: true },
    );
    return row ?? { organization_id: organizationId, plan_id: null, mode: 'postpaid' };
  }

  /** @param change what is left out stays as it is */
  async setProfile(
    organizationId: string,
    change: { readonly planId?: string; readonly mode?: BillingMode },
  ): Promise<void> {
    await this.db.query(
      `INSERT INTO billing_profiles (organization_id, plan_id, mode) VALUES ($1, $2, coalesce($3, 'postpaid'))
       ON CONFLICT (organization_id) DO UPDATE
       SET plan_id = coalesce($2, billing_profiles.plan_id), mode = coalesce($3, billing_profiles.mode)`,
      [organizationId, change.planId ?? null, change.mode ?? null],
    );
  }
}

function rateOfRow(row: RateRow): Rate {
  return {
    direction: row.direction,
    kind: row.kind,
    prefix: row.prefix,
    perMinute: row.per_minute,
    incrementSeconds: row.increment_seconds,
    minimumSeconds: row.minimum_seconds,
  };
}
