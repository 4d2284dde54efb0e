import type { Database } from '../../database.js';
import type { SipTargetRow } from '../../rows.js';

/** Hosts that calls to SIP addresses may reach. */
export class SipTargetTable {
  constructor(private readonly db: Database) {}

  /** An address that is known is left as it is. */
  async add({ address, created_at }: SipTargetRow): Promise<void> {
    await this.db.query(`INSERT INTO sip_targets (address, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
      address,
      created_at,
    ]);
  }

  list(): Promise<SipTargetRow[]> {
    return this.db.query<SipTargetRow>(`SELECT * FROM sip_targets ORDER BY address`);
  }

  /** Whether one of the addresses is in the table. */
  async hasAny(addresses: readonly string[]): Promise<boolean> {
    const rows = await this.db.query(`SELECT 1 FROM sip_targets WHERE address = ANY($1)`, [addresses], {
      prepared: true,
    });
    return rows.length > 0;
  }

  /** @returns false if there is no such address */
  async remove(address: string): Promise<boolean> {
    return (await this.db.query(`DELETE FROM sip_targets WHERE address = $1 RETURNING address`, [address])).length > 0;
  }
}
