import { newId } from '../../../model/ids.js';
import { NO_FRAUD_DEFAULTS, type FraudDefaults } from '../../../model/fraud/limits.js';
import type { Database, Queryable } from '../../database.js';
import type { FraudDefaultsRow, HighRiskPrefixRow } from '../../rows.js';

/** What organizations and the installation set against toll fraud. */
export class FraudDefaultsTable {
  constructor(private readonly db: Database) {}

  /** @param organizationId null: of the installation @returns what is set there, without the next place */
  async own(organizationId: string | null): Promise<FraudDefaults> {
    const [row] = await this.db.query<FraudDefaultsRow>(
      `SELECT * FROM fraud_defaults WHERE coalesce(organization_id::text, '') = coalesce($1::text, '')`,
      [organizationId],
      { prepared: true },
    );
    return row ?? NO_FRAUD_DEFAULTS;
  }

  async set(tx: Queryable, organizationId: string | null, { limits, ends_calls }: FraudDefaults): Promise<void> {
    await tx.query(
      `INSERT INTO fraud_defaults (id, organization_id, limits, ends_calls) VALUES ($1, $2, $3, $4)
       ON CONFLICT (coalesce(organization_id::text, '')) DO UPDATE
       SET limits = excluded.limits, ends_calls = excluded.ends_calls`,
      [newId(), organizationId, JSON.stringify(limits), ends_calls],
    );
  }
}

/** The prefixes whose numbers count as premium. */
export class HighRiskPrefixes {
  constructor(private readonly db: Database) {}

  /** In their order. */
  list(): Promise<HighRiskPrefixRow[]> {
    return this.db.query<HighRiskPrefixRow>(`SELECT * FROM high_risk_prefixes ORDER BY prefix COLLATE "C"`, [], {
      prepared: true,
    });
  }

  /**
   * A prefix that is known stays as it is, with its note.
   * @returns the prefix as it is now; null if there are `max` already
   */
  add({ prefix, note, created_at }: HighRiskPrefixRow, max: number): Promise<HighRiskPrefixRow | null> {
    return this.db.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('high risk prefixes', 0))`);
      const known = await tx.query<HighRiskPrefixRow>(`SELECT * FROM high_risk_prefixes WHERE prefix = $1`, [prefix]);
      if (known[0]) return known[0];
      const [added] = await tx.query<HighRiskPrefixRow>(
        `INSERT INTO high_risk_prefixes (prefix, note, created_at)
         SELECT $1, $2, $3 WHERE (SELECT count(*) FROM high_risk_prefixes) < $4 RETURNING *`,
        [prefix, note, created_at, max],
      );
      return added ?? null;
    });
  }

  /** @returns false if there is no such prefix */
  async remove(prefix: string): Promise<boolean> {
    const rows = await this.db.query(`DELETE FROM high_risk_prefixes WHERE prefix = $1 RETURNING prefix`, [prefix]);
    return rows.length > 0;
  }
}
