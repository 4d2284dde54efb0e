import type { Database } from '../../database.js';
import type { SipNetworkRow } from '../../rows.js';

/** Networks that the SIP edge never locks out, and those that it never serves. */
export class SipNetworks {
  constructor(private readonly db: Database) {}

  /** A network that is listed gets the new rule and note. */
  async put({ network, rule, note, created_at }: SipNetworkRow): Promise<void> {
    await this.db.query(
      `INSERT INTO sip_networks (network, rule, note, created_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (network) DO UPDATE SET rule = excluded.rule, note = excluded.note`,
      [network, rule, note, created_at],
    );
  }

  list(): Promise<SipNetworkRow[]> {
    return this.db.query<SipNetworkRow>(`SELECT * FROM sip_networks ORDER BY rule, network`);
  }

  /** @returns false if the network was not listed */
  async remove(network: string): Promise<boolean> {
    return (await this.db.query(`DELETE FROM sip_networks WHERE network = $1 RETURNING network`, [network])).length > 0;
  }
}
