import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import { keysOf } from '../../models/tables.js';
import type { KeyRow, OrganizationRow, ProjectRow } from '../../rows.js';
import { Joined, JOINED_ORGANIZATION, JOINED_PROJECT } from './joined.js';

/** A key with its project and organization. */
export interface KeyWithOwner {
  readonly key: KeyRow;
  readonly project: ProjectRow;
  readonly organization: OrganizationRow;
}

const JOINED_KEY = new Joined<KeyRow>('key', {
  id: true,
  project_id: true,
  organization_id: true,
  name: true,
  kind: true,
  prefix: true,
  hash: true,
  scopes: true,
  allowed_ips: true,
  rate_limit_per_minute: true,
  expires_at: true,
  revoked_at: true,
  last_used_at: true,
  created_at: true,
});

const FIND_BY_HASH = `
  SELECT ${JOINED_KEY.columns}, ${JOINED_PROJECT.columns}, ${JOINED_ORGANIZATION.columns}
  FROM api_keys AS key
  JOIN projects AS project ON project.id = key.project_id
  JOIN organizations AS organization ON organization.id = key.organization_id
  WHERE key.hash = $1`;

export class Keys {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = keysOf(db);
  }

  create(row: KeyRow, on?: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  /** Finds a key. Includes revoked and expired keys, which the caller must reject. */
  async findByHash(hash: string): Promise<KeyWithOwner | null> {
    const [row] = await this.db.query(FIND_BY_HASH, [hash], { prepared: true });
    if (row === undefined) return null;
    return {
      key: JOINED_KEY.rowIn(row),
      project: JOINED_PROJECT.rowIn(row),
      organization: JOINED_ORGANIZATION.rowIn(row),
    };
  }

  /** A project's keys, including revoked ones, oldest first. */
  listByProject(projectId: string): Promise<KeyRow[]> {
    return this.#table.find({ project_id: projectId }, ['id']);
  }

  /** @returns false if the project has no such key or it was revoked before. */
  async revoke(projectId: string, id: string, at: Date): Promise<boolean> {
    if (!isId(id)) return false;
    return (await this.#table.update({ project_id: projectId, id, revoked_at: null }, { revoked_at: at })) === 1;
  }

  /**
   * Records the use of a key, at most once a minute across all processes. The first use of a
   * sandbox key starts its project's trial.
   */
  async touch(id: string, at: Date): Promise<void> {
    await this.db.query(
      `WITH used AS (
         UPDATE api_keys SET last_used_at = $2
         WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2::timestamptz - interval '1 minute')
         RETURNING project_id, kind
       )
       INSERT INTO sandbox_trials (project_id, started_at) SELECT project_id, $2 FROM used WHERE kind = 'sandbox'
       ON CONFLICT DO NOTHING`,
      [id, at],
    );
  }
}
