import { LRUCache } from 'lru-cache';
import type { NumberFee } from '../../../model/rating/number-fee.js';
import type { MessageRate } from '../../../model/rating/message-rate.js';
import { RateTable, type Rate } from '../../../model/rating/rate.js';
import { isId, newId } from '../../../model/ids.js';
import type { Channel } from '../../../model/messaging/channels.js';
import type { MicroSar } from '../../../model/money.js';
import type { Database, Queryable } from '../../database.js';
import type {
  BillingMode,
  BillingProfileRow,
  MessageRateRow,
  NumberRateRow,
  RatePlanRow,
  RatePlanVersionRow,
  RateRow,
} from '../../rows.js';

/** What a version charges for calls, numbers and messages. */
export interface PlanPrices {
  readonly rates: readonly Rate[];
  readonly numberFees: readonly NumberFee[];
  readonly messageRates: readonly MessageRate[];
}

/** A version with its prices. */
export interface RatePlanVersion extends RatePlanVersionRow, PlanPrices {}

/** A version may have a hundred thousand rates. */
const KEPT_TABLES = 8;
const RATES_AT_ONCE = 2_000;

/** The plan of every organization that has no other plan assigned. */
export const DEFAULT_PLAN = 'default';

/**
 * Rate plans, their versions, and billing profiles. Versions and rates are immutable: changes need
 * a newer version.
 */
export class RatePlans {
  /** The most recently used tables, by version; versions are immutable. */
  readonly #tables = new LRUCache<string, Promise<RateTable>>({ max: KEPT_TABLES });

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
  versionRows(planId: string, on: Queryable = this.db): Promise<RatePlanVersionRow[]> {
    return on.query<RatePlanVersionRow>(`SELECT * FROM rate_plan_versions WHERE plan_id = $1 ORDER BY valid_from`, [
      planId,
    ]);
  }

  /** The version with its prices. */
  async withRates(row: RatePlanVersionRow): Promise<RatePlanVersion> {
    const [rates, numberFees, messageRates] = await Promise.all([
      this.#rates(row.id, this.db),
      this.numberFees(row.id, this.db),
      this.#messageRates(row.id),
    ]);
    return { ...row, rates, numberFees, messageRates };
  }

  /** The prices of messages in a version. */
  async #messageRates(versionId: string): Promise<MessageRate[]> {
    const rows = await this.db.query<MessageRateRow>(
      `SELECT * FROM message_rates WHERE version_id = $1 ORDER BY channel, prefix`,
      [versionId],
    );
    return rows.map(({ channel, prefix, per_segment }) => ({ channel, prefix, perSegment: per_segment }));
  }

  /**
   * What one segment of a message costs the organization at a time, by recipient: the rate with the longest matching
   * prefix. Recipients of free messages are not in it. @param recipients numbers in E.164, or addresses
   */
  async messagePrices(
    organizationId: string,
    at: Date,
    channel: Channel,
    recipients: readonly string[],
  ): Promise<ReadonlyMap<string, MicroSar>> {
    const rows = await this.db.query<{ recipient: string; per_segment: MicroSar }>(
      `WITH in_force AS (
         SELECT version.id FROM rate_plan_versions AS version
         WHERE version.valid_from <= $2 AND version.plan_id = coalesce(
           (SELECT plan_id FROM billing_profiles WHERE organization_id = $1),
           (SELECT id FROM rate_plans WHERE name = '${DEFAULT_PLAN}')
         ) ORDER BY version.valid_from DESC LIMIT 1
       )
       SELECT recipient, found.per_segment FROM unnest($4::text[]) AS recipient CROSS JOIN LATERAL (
         SELECT rate.per_segment FROM message_rates AS rate
         WHERE rate.channel = $3 AND starts_with(ltrim(recipient, '+'), rate.prefix)
           AND rate.version_id = (SELECT id FROM in_force)
         ORDER BY length(rate.prefix) DESC LIMIT 1
       ) AS found`,
      [organizationId, at, channel, recipients],
      { prepared: true },
    );
    return new Map(rows.map(({ recipient, per_segment }) => [recipient, per_segment]));
  }

  /** The monthly fees of numbers in a version. @param on must see the version */
  async numberFees(versionId: string, on: Queryable): Promise<NumberFee[]> {
    const rows = await on.query<NumberRateRow>(
      `SELECT * FROM number_rates WHERE version_id = $1 ORDER BY kind, prefix`,
      [versionId],
    );
    return rows.map(({ kind, prefix, monthly }) => ({ kind, prefix, monthly }));
  }

  /** The rate table of a version, cached. @param on must see the version */
  table(versionId: string, on: Queryable): Promise<RateTable> {
    const known = this.#tables.get(versionId);
    if (known) return known;
    const table = this.#rates(versionId, on).then((rates) => new RateTable(rates));
    this.#tables.set(versionId, table);
    // A failed read is not cached.
    table.catch(() => this.#tables.delete(versionId));
    return table;
  }

  async #rates(versionId: string, on: Queryable): Promise<Rate[]> {
    const rows = await on.query<RateRow>(`SELECT * FROM rates WHERE version_id = $1 ORDER BY direction, kind, prefix`, [
      versionId,
    ]);
    return rows.map(rateOfRow);
  }

  /**
   * Adds a version of the plan, and creates the plan with its first version. Locks the plan.
   * @param onProgress receives the number of rates written so far; all are committed together
   * @throws a unique violation if another version starts at the same time
   */
  add(
    name: string,
    { rates, numberFees, messageRates }: PlanPrices,
    validFrom: Date,
    now: Date,
    onProgress: (written: number) => void = () => undefined,
  ): Promise<RatePlanVersion> {
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
      for (let from = 0; from < rows.length; from += RATES_AT_ONCE) {
        const batch: readonly RateRow[] = rows.slice(from, from + RATES_AT_ONCE);
        await tx.query(`INSERT INTO rates SELECT * FROM jsonb_populate_recordset(NULL::rates, $1)`, [
          JSON.stringify(batch),
        ]);
        onProgress(from + batch.length);
      }
      const fees: readonly NumberRateRow[] = numberFees.map((fee) => ({ version_id: row.id, ...fee }));
      await tx.query(`INSERT INTO number_rates SELECT * FROM jsonb_populate_recordset(NULL::number_rates, $1)`, [
        JSON.stringify(fees),
      ]);
      const prices: readonly MessageRateRow[] = messageRates.map(({ perSegment, ...rate }) => {
        return { version_id: row.id, ...rate, per_segment: perSegment };
      });
      await tx.query(`INSERT INTO message_rates SELECT * FROM jsonb_populate_recordset(NULL::message_rates, $1)`, [
        JSON.stringify(prices),
      ]);
      return { ...row, rates, numberFees, messageRates };
    });
  }

  /**
   * How the organization pays, and by which plan; `plan_id` is null if it has none and there is no
   * default plan.
   */
  async profile(
    organizationId: string,
    on: Queryable = this.db,
  ): Promise<BillingProfileRow & { readonly plan_id: string | null }> {
    const [row] = await on.query<BillingProfileRow>(
      `SELECT $1::uuid AS organization_id, coalesce(profile.mode, 'postpaid') AS mode,
         coalesce(profile.plan_id, (SELECT id FROM rate_plans WHERE name = '${DEFAULT_PLAN}')) AS plan_id
       FROM (SELECT) AS one LEFT JOIN billing_profiles AS profile ON profile.organization_id = $1`,
      [organizationId],
      { prepared: true },
    );
    return row ?? { organization_id: organizationId, plan_id: null, mode: 'postpaid' };
  }

  /** @param change absent members stay unchanged */
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
