import type { Database, Queryable } from '../../database.js';
import type { SsoDomainRow } from '../../rows.js';

/**
 * The address is in a domain whose people sign in through their identity provider only. Somebody with such an address who
 * is a member of another organization is not meant: that provider does not know the other organization.
 */
const FORCED = `
  FROM sso_domains AS claimed JOIN sso_settings AS settings ON settings.organization_id = claimed.organization_id
  WHERE claimed.domain = $1 AND claimed.forced AND settings.enabled AND settings.admits_owners
    AND NOT EXISTS (SELECT FROM users WHERE email = $2 AND organization_id <> claimed.organization_id)`;

/** The domains that organizations claim. */
export class SsoDomains {
  constructor(private readonly db: Database) {}

  /** By name. */
  list(organizationId: string, on: Queryable = this.db): Promise<SsoDomainRow[]> {
    return on.query<SsoDomainRow>(`SELECT * FROM sso_domains WHERE organization_id = $1 ORDER BY domain`, [
      organizationId,
    ]);
  }

  async get(organizationId: string, domain: string, on: Queryable = this.db): Promise<SsoDomainRow | null> {
    const [row] = await on.query<SsoDomainRow>(`SELECT * FROM sso_domains WHERE organization_id = $1 AND domain = $2`, [
      organizationId,
      domain,
    ]);
    return row ?? null;
  }

  async count(organizationId: string, on: Queryable): Promise<number> {
    const [row] = await on.query<{ count: number }>(
      `SELECT count(*) AS count FROM sso_domains WHERE organization_id = $1`,
      [organizationId],
    );
    return row?.count ?? 0;
  }

  async add(tx: Queryable, row: SsoDomainRow): Promise<void> {
    await tx.query(
      `INSERT INTO sso_domains (organization_id, domain, token, forced, verified_at, verified_by, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [row.organization_id, row.domain, row.token, row.forced, row.verified_at, row.verified_by, row.created_at],
    );
  }

  /** Violates `sso_domains_verified` if it is verified for another organization. */
  async verify(
    on: Queryable,
    { organization_id, domain }: Pick<SsoDomainRow, 'organization_id' | 'domain'>,
    by: NonNullable<SsoDomainRow['verified_by']>,
    at: Date,
  ): Promise<void> {
    await on.query(
      `UPDATE sso_domains SET verified_at = coalesce(verified_at, $3), verified_by = coalesce(verified_by, $4)
       WHERE organization_id = $1 AND domain = $2`,
      [organization_id, domain, at, by],
    );
  }

  /** @returns false if there is none */
  async remove(organizationId: string, domain: string): Promise<boolean> {
    const rows = await this.db.query(
      `DELETE FROM sso_domains WHERE organization_id = $1 AND domain = $2 RETURNING domain`,
      [organizationId, domain],
    );
    return rows.length === 1;
  }

  /** Makes these, and no others, domains whose people sign in through the identity provider only. */
  async force(tx: Queryable, organizationId: string, domains: readonly string[]): Promise<void> {
    await tx.query(`UPDATE sso_domains SET forced = (domain = ANY ($2)) WHERE organization_id = $1`, [
      organizationId,
      domains,
    ]);
  }

  /** Whose domain it is; null if nobody has proved it. */
  async ownerOf(domain: string): Promise<string | null> {
    const [row] = await this.db.query<{ organization_id: string }>(
      `SELECT organization_id FROM sso_domains WHERE domain = $1 AND verified_at IS NOT NULL`,
      [domain],
    );
    return row?.organization_id ?? null;
  }

  async isVerified(organizationId: string, domain: string, on: Queryable = this.db): Promise<boolean> {
    return (await this.get(organizationId, domain, on))?.verified_at != null;
  }

  /** Whether somebody with this address, in lower case, must sign in through the identity provider. */
  async isForced(email: string, domain: string): Promise<boolean> {
    const rows = await this.db.query(`SELECT 1 AS forced ${FORCED}`, [domain, email]);
    return rows.length > 0;
  }
}
