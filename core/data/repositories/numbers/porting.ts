import { portingStatusesBefore, type PortingStatus } from '../../../model/number/porting.js';
import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { PortingChangeRow, PortingRequestRow } from '../../rows.js';
import type { ProjectKind } from '../project-kind.js';

/** The fields that the customer can change in a draft. */
export type PortingDetails = Pick<
  PortingRequestRow,
  'numbers' | 'carrier' | 'account_name' | 'account_number' | 'notes' | 'wanted_at'
>;

export interface PortingStep {
  readonly from: readonly PortingStatus[];
  readonly to: PortingStatus;
  readonly changes?: Partial<Pick<PortingRequestRow, 'reason' | 'scheduled_at' | 'submitted_at' | 'ended_at'>>;
  readonly by: PortingChangeRow['made_by'];
  readonly reason: string | null;
  readonly at: Date;
}

const STEP = `
  WITH before AS (
    SELECT id, status FROM porting_requests WHERE id = $1 AND status = ANY ($2::text[]) FOR UPDATE
  ), stepped AS (
    UPDATE porting_requests AS kept SET (status, reason, scheduled_at, submitted_at, ended_at) =
      (SELECT status, reason, scheduled_at, submitted_at, ended_at FROM jsonb_populate_record(kept, $3))
    FROM before WHERE kept.id = before.id
    RETURNING kept.*
  ), history AS (
    INSERT INTO porting_changes (id, porting_request_id, from_status, to_status, made_by, reason, at)
    SELECT uuid_v7(), stepped.id, before.status, stepped.status, $4, $5, $6
    FROM stepped JOIN before ON before.id = stepped.id
  )
  SELECT * FROM stepped`;

/** Requests to port numbers from other carriers. */
export class Porting {
  constructor(private readonly db: Database) {}

  async insert(row: PortingRequestRow): Promise<void> {
    await this.db.query(
      `INSERT INTO porting_requests SELECT * FROM jsonb_populate_record(NULL::porting_requests, $1)`,
      [JSON.stringify(row)],
    );
  }

  /** @param scope null searches the live ones of all projects */
  async get(scope: ProjectKind | null, id: string): Promise<PortingRequestRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<PortingRequestRow>(
      `SELECT * FROM porting_requests WHERE id = $1 AND ($2::uuid IS NULL OR project_id = $2) AND sandbox = $3`,
      [id, scope?.projectId ?? null, scope?.sandbox ?? false],
    );
    return row ?? null;
  }

  /** Newest first, only those before `beforeId`. @param scope null lists the live ones of all projects */
  page(
    scope: ProjectKind | null,
    status: PortingStatus | null,
    beforeId: string | null,
    limit: number,
  ): Promise<PortingRequestRow[]> {
    return this.db.query<PortingRequestRow>(
      `SELECT * FROM porting_requests
       WHERE ($1::uuid IS NULL OR project_id = $1) AND ($2::text IS NULL OR status = $2) AND ($3::uuid IS NULL OR id < $3)
         AND sandbox = $5
       ORDER BY id DESC LIMIT $4`,
      [scope?.projectId ?? null, status, beforeId, limit, scope?.sandbox ?? false],
    );
  }

  /** @returns null if it is no longer a draft */
  async change(id: string, details: Partial<PortingDetails>): Promise<PortingRequestRow | null> {
    const [row] = await this.db.query<PortingRequestRow>(
      `UPDATE porting_requests AS kept
       SET (numbers, carrier, account_name, account_number, notes, wanted_at) =
         (SELECT numbers, carrier, account_name, account_number, notes, wanted_at FROM jsonb_populate_record(kept, $2))
       WHERE id = $1 AND status = 'draft' RETURNING *`,
      [id, JSON.stringify(details)],
    );
    return row ?? null;
  }

  /** Those of an organization that have not ended, live and of the sandbox. */
  openOf(organizationId: string): Promise<PortingRequestRow[]> {
    return this.db.query<PortingRequestRow>(
      `SELECT * FROM porting_requests WHERE organization_id = $1 AND status = ANY ($2::text[]) ORDER BY id`,
      [organizationId, portingStatusesBefore('cancelled')],
    );
  }

  /** @returns null if the request is in none of the `from` statuses */
  async step(
    id: string,
    { from, to, changes, by, reason, at }: PortingStep,
    on: Queryable,
  ): Promise<PortingRequestRow | null> {
    const [row] = await on.query<PortingRequestRow>(STEP, [
      id,
      from,
      JSON.stringify({ ...changes, status: to }),
      by,
      reason,
      at,
    ]);
    return row ?? null;
  }

  /** Oldest first. */
  history(id: string): Promise<PortingChangeRow[]> {
    return this.db.query<PortingChangeRow>(`SELECT * FROM porting_changes WHERE porting_request_id = $1 ORDER BY id`, [
      id,
    ]);
  }
}
