import type { MicroSar } from '../../../model/money.js';
import { prefixesOf } from '../../../model/trunks/choice.js';
import type { Database } from '../../database.js';
import type { AuditRow, TrunkRateRow } from '../../rows.js';
import { insertAuditRows } from '../accounts/audit.js';

/** What a minute to the numbers of a prefix costs the operator. */
export type TrunkRate = Omit<TrunkRateRow, 'trunk_id'>;

const RATES_AT_ONCE = 2_000;

/** What the operator pays its carriers. */
export class TrunkRates {
  constructor(private readonly db: Database) {}

  /** Replaces the rates of a trunk, all of them or none, and audits it as other changes. @returns false if the trunk is gone */
  replace(trunkId: string, rates: readonly TrunkRate[], audit: readonly AuditRow[] = []): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      // Two imports at the same moment follow one another.
      const known = await tx.query(`SELECT FROM trunks WHERE id = $1 FOR UPDATE`, [trunkId]);
      if (known.length === 0) return false;
      await tx.query(`DELETE FROM trunk_rates WHERE trunk_id = $1`, [trunkId]);
      for (let from = 0; from < rates.length; from += RATES_AT_ONCE) {
        await tx.query(
          `INSERT INTO trunk_rates (trunk_id, prefix, per_minute)
           SELECT $1, prefix, per_minute FROM jsonb_to_recordset($2::jsonb) AS rate (prefix text, per_minute bigint)`,
          [trunkId, JSON.stringify(rates.slice(from, from + RATES_AT_ONCE))],
        );
      }
      if (audit.length > 0) await insertAuditRows(tx, audit);
      return true;
    });
  }

  /** By prefix. */
  list(trunkId: string): Promise<TrunkRate[]> {
    return this.db.query<TrunkRate>(
      `SELECT prefix, per_minute FROM trunk_rates WHERE trunk_id = $1 ORDER BY prefix COLLATE "C"`,
      [trunkId],
    );
  }

  /** What a minute to the number costs on each trunk that has a rate for it: that of the longest prefix. */
  async of(number: string): Promise<ReadonlyMap<string, MicroSar>> {
    const rows = await this.db.query<TrunkRateRow>(
      `SELECT DISTINCT ON (trunk_id) trunk_id, prefix, per_minute FROM trunk_rates
       WHERE prefix = ANY ($1) ORDER BY trunk_id, length(prefix) DESC`,
      [prefixesOf(number)],
      { prepared: true },
    );
    return new Map(rows.map(({ trunk_id, per_minute }) => [trunk_id, per_minute]));
  }
}
