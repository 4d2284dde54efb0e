import type { Database } from '../../database.js';
import type { AuditRow, TrunkRouteRow } from '../../rows.js';
import { insertAuditRows } from '../accounts/audit.js';

/** A route with the names of its trunk and organization. */
export interface NamedTrunkRoute extends TrunkRouteRow {
  readonly trunk: string;
  readonly organization: string | null;
}

const NAMED = `SELECT route.*, trunk.name AS trunk, organization.name AS organization
  FROM trunk_routes AS route JOIN trunks AS trunk ON trunk.id = route.trunk_id
  LEFT JOIN organizations AS organization ON organization.id = route.organization_id`;

/** Which trunks carry calls to which numbers. Changes are audited as those of trunks. */
export class TrunkRoutes {
  constructor(private readonly db: Database) {}

  /** @throws a violation of a foreign key for an unknown trunk or organization */
  add(row: TrunkRouteRow, audit: readonly AuditRow[] = []): Promise<void> {
    return this.db.transaction(async (tx) => {
      await tx.query(`INSERT INTO trunk_routes SELECT * FROM jsonb_populate_record(NULL::trunk_routes, $1)`, [
        JSON.stringify(row),
      ]);
      if (audit.length > 0) await insertAuditRows(tx, audit);
    });
  }

  /** In the order of the choice: those of organizations first, then by prefix and priority. */
  list(): Promise<NamedTrunkRoute[]> {
    return this.db.query<NamedTrunkRoute>(
      `${NAMED} ORDER BY organization.name NULLS LAST, length(prefix) DESC, prefix, priority, cost NULLS LAST, route.id`,
    );
  }

  /** @returns false if there is no such route */
  remove(id: string, audit: readonly AuditRow[] = []): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      if ((await tx.query(`DELETE FROM trunk_routes WHERE id = $1 RETURNING id`, [id])).length === 0) return false;
      if (audit.length > 0) await insertAuditRows(tx, audit);
      return true;
    });
  }

  /** Those of trunks that are on, oldest first. */
  inUse(): Promise<TrunkRouteRow[]> {
    return this.db.query<TrunkRouteRow>(
      `SELECT route.* FROM trunk_routes AS route JOIN trunks ON trunks.id = trunk_id AND enabled ORDER BY route.id`,
    );
  }
}
