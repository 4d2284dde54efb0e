import type { Database } from '../../database.js';
import type { TrunkRouteRow } from '../../rows.js';

/** A route with the names of its trunk and organization. */
export interface NamedTrunkRoute extends TrunkRouteRow {
  readonly trunk: string;
  readonly organization: string | null;
}

const NAMED = `SELECT route.*, trunk.name AS trunk, organization.name AS organization
  FROM trunk_routes AS route JOIN trunks AS trunk ON trunk.id = route.trunk_id
  LEFT JOIN organizations AS organization ON organization.id = route.organization_id`;

/** Which trunks carry calls to which numbers. */
export class TrunkRoutes {
  constructor(private readonly db: Database) {}

  /** @throws a violation of a foreign key for an unknown trunk or organization */
  async add(row: TrunkRouteRow): Promise<void> {
    await this.db.query(`INSERT INTO trunk_routes SELECT * FROM jsonb_populate_record(NULL::trunk_routes, $1)`, [
      JSON.stringify(row),
    ]);
  }

  /** In the order of the choice: those of organizations first, then by prefix and priority. */
  list(): Promise<NamedTrunkRoute[]> {
    return this.db.query<NamedTrunkRoute>(
      `${NAMED} ORDER BY organization.name NULLS LAST, length(prefix) DESC, prefix, priority, cost NULLS LAST, route.id`,
    );
  }

  /** @returns false if there is no such route */
  async remove(id: string): Promise<boolean> {
    return (await this.db.query(`DELETE FROM trunk_routes WHERE id = $1 RETURNING id`, [id])).length > 0;
  }

  /** Those of trunks that are on, oldest first. */
  inUse(): Promise<TrunkRouteRow[]> {
    return this.db.query<TrunkRouteRow>(
      `SELECT route.* FROM trunk_routes AS route JOIN trunks ON trunks.id = trunk_id AND enabled ORDER BY route.id`,
    );
  }
}
