import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import { keysOf } from '../../models/tables.js';
import type { AccountKind, KeyRow, OrganizationRow, ProjectRow } from '../../rows.js';

/** A key with its project and organization. */
export interface KeyWithOwner {
  readonly key: KeyRow;
  readonly project: ProjectRow;
  readonly organization: OrganizationRow;
}

interface JoinedRow extends KeyRow {
  readonly project_name: string;
  readonly project_main_number: string | null;
  readonly project_default_destination: ProjectRow['default_destination'];
  readonly project_signing_secret: string;
  readonly project_recording_retention_days: number | null;
  readonly project_recording_announcement: ProjectRow['recording_announcement'];
  readonly project_destination_classes: ProjectRow['destination_classes'];
  readonly project_max_calls: number;
  readonly project_fraud_limits: ProjectRow['fraud_limits'];
  readonly project_created_at: Date;
  readonly organization_name: string;
  readonly organization_account_kind: AccountKind;
  readonly organization_flags: OrganizationRow['flags'];
  readonly organization_contact_email: string | null;
  readonly organization_created_at: Date;
}

const FIND_BY_HASH = `
  SELECT key.*,
         project.name AS project_name, project.main_number AS project_main_number,
         project.default_destination AS project_default_destination,
         project.signing_secret AS project_signing_secret,
         project.recording_retention_days AS project_recording_retention_days,
         project.recording_announcement AS project_recording_announcement,
         project.destination_classes AS project_destination_classes, project.max_calls AS project_max_calls, project.fraud_limits AS project_fraud_limits, project.created_at AS project_created_at,
         organization.name AS organization_name, organization.account_kind AS organization_account_kind,
         organization.flags AS organization_flags, organization.contact_email AS organization_contact_email,
         organization.created_at AS organization_created_at
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
    const [row] = await this.db.query<JoinedRow>(FIND_BY_HASH, [hash], { prepared: true });
    return row ? ownedKey(row) : null;
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

function ownedKey(row: JoinedRow): KeyWithOwner {
  const {
    project_name,
    project_main_number,
    project_default_destination,
    project_signing_secret,
    project_recording_retention_days,
    project_recording_announcement,
    project_destination_classes,
    project_max_calls,
    project_fraud_limits,
    project_created_at,
    organization_name,
    organization_account_kind,
    organization_flags,
    organization_contact_email,
    organization_created_at,
    ...key
  } = row;
  return {
    key,
    project: {
      id: key.project_id,
      organization_id: key.organization_id,
      name: project_name,
      main_number: project_main_number,
      default_destination: project_default_destination,
      signing_secret: project_signing_secret,
      recording_retention_days: project_recording_retention_days,
      recording_announcement: project_recording_announcement,
      destination_classes: project_destination_classes,
      max_calls: project_max_calls,
      fraud_limits: project_fraud_limits,
      created_at: project_created_at,
    },
    organization: {
      id: key.organization_id,
      name: organization_name,
      account_kind: organization_account_kind,
      flags: organization_flags,
      contact_email: organization_contact_email,
      created_at: organization_created_at,
    },
  };
}
