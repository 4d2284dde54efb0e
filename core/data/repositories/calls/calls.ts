import {
  CALL_STATUSES,
  isFinal,
  type CallDirection,
  type CallKind,
  type CallStatus,
} from '../../../model/call/call.js';
import { isId } from '../../../model/ids.js';
import type { Database } from '../../database.js';
import type { CallRow, LegRow, RecordingRow, TransferRow } from '../../rows.js';

/** Limits calls to a project, and optionally to those of its sandbox keys. System calls are outside every scope. */
export interface CallScope {
  readonly projectId: string;
  readonly sandboxOnly: boolean;
  /** Only the calls of the agent with this extension; absent or null: of everybody. */
  readonly agent?: string | null;
}

/** The calls whose customers a key sees: of its project, and the organization's callbacks. */
export interface NumberScope extends CallScope {
  readonly organizationId: string;
}

/**
 * Filters calls; absent or undefined members match everything. Times of creation, both ends
 * included.
 */
export interface CallFilter {
  /** Only calls that have not ended. */
  readonly live?: boolean | undefined;
  readonly status?: CallStatus | undefined;
  readonly kind?: CallKind | undefined;
  readonly direction?: CallDirection | undefined;
  readonly queueId?: string | undefined;
  readonly callflowId?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** The position of a row in the newest-first order of lists. */
export interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

/** What the API shows of a call. A list reads nothing else: programs and options are most of a row. */
export const SHOWN_COLUMNS = [
  ...(['id', 'kind', 'direction', 'status', 'customer_number', 'line_number', 'queue_id', 'served_queue_id'] as const),
  ...(['agent', 'callflow_id', 'conference_id', 'sandbox', 'on_hold', 'muted', 'recording'] as const),
  ...(['recording_available', 'disposition', 'hangup_q850', 'hangup_sip_code', 'hangup_text'] as const),
  ...(['queued_seconds', 'metadata', 'created_at', 'ringing_at', 'answered_at', 'ended_at'] as const),
] as const satisfies readonly (keyof CallRow)[];
export type ShownCall = Pick<CallRow, (typeof SHOWN_COLUMNS)[number]>;

/** What the API shows of a leg, and the endpoint, which says whether another leg took its place. */
const SHOWN_LEG_COLUMNS = [
  ...(['id', 'call_id', 'role', 'endpoint', 'status', 'on_hold', 'muted', 'quality'] as const),
] as const satisfies readonly (keyof LegRow)[];
export type ShownLeg = Pick<LegRow, (typeof SHOWN_LEG_COLUMNS)[number]>;

/** Calls that the platform makes for itself are shown to nobody. */
const SHOWN = 'system IS NOT TRUE';
const LIVE = CALL_STATUSES.filter((status) => !isFinal(status))
  .map((status) => `'${status}'`)
  .join(', ');
const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC';

/** Whether the scope covers a call or conversation of this project, sandbox and agent. */
export function covers(
  { projectId, sandboxOnly, agent = null }: CallScope,
  row: Pick<CallRow, 'project_id' | 'sandbox' | 'agent'>,
): boolean {
  return row.project_id === projectId && (row.sandbox || !sandboxOnly) && (agent === null || row.agent === agent);
}

/** Whether {@link Calls.get} finds this call within the scope. */
export function isInScope(scope: CallScope, call: CallRow): boolean {
  return call.system !== true && covers(scope, call);
}

export class Calls {
  constructor(private readonly db: Database) {}

  /** Null for a malformed id, for a call outside the scope, and for a system call. */
  async get(scope: CallScope, id: string): Promise<CallRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<CallRow>(
      `SELECT * FROM calls
       WHERE id = $1 AND project_id = $2 AND (sandbox OR NOT $3) AND ($4::text IS NULL OR agent = $4) AND ${SHOWN}`,
      [id, scope.projectId, scope.sandboxOnly, scope.agent ?? null],
      { prepared: true },
    );
    return row ?? null;
  }

  /** The stored numbers of the customers of these calls, by call; without those outside the scope, and system calls. */
  async customerNumbers(scope: NumberScope, callIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.db.query<{ id: string; customer_number: string }>(
      `SELECT id, customer_number FROM calls
       WHERE id = ANY ($1::uuid[]) AND (project_id = $2 OR (kind = 'callback' AND organization_id = $3))
         AND (sandbox OR NOT $4) AND ($5::text IS NULL OR agent = $5) AND ${SHOWN}`,
      [callIds.filter(isId), scope.projectId, scope.organizationId, scope.sandboxOnly, scope.agent ?? null],
      { prepared: true },
    );
    return new Map(rows.map(({ id, customer_number }) => [id, customer_number]));
  }

  /**
   * How many calls of the project are not over, without those of the sandbox and of callers who are turned away, which
   * must not use up what others may call. @param except leaves out this call
   */
  async countLive(projectId: string, except: string | null): Promise<number> {
    const [row] = await this.db.query<{ live: number }>(
      `SELECT count(*)::int AS live FROM calls
       WHERE project_id = $1 AND status IN (${LIVE}) AND NOT sandbox AND id IS DISTINCT FROM $2
         AND program->'spec'->>'type' <> 'turn_away'`,
      [projectId, except],
      { prepared: true },
    );
    return row?.live ?? 0;
  }

  /** Any call, also a system call, without a scope; for the process that owns it. */
  async find(id: string): Promise<CallRow | null> {
    const [row] = await this.db.query<CallRow>(`SELECT * FROM calls WHERE id = $1`, [id], { prepared: true });
    return row ?? null;
  }

  /**
   * The call created by a request of this key, or null; never a system call. @param since a lower bound of the request's
   * start.
   */
  async createdBy(projectId: string, keyId: string, requestId: string, since: Date): Promise<CallRow | null> {
    const [row] = await this.db.query<CallRow>(
      `SELECT * FROM calls
       WHERE project_id = $1 AND created_at >= $2 AND created_by_key = $3 AND request_id = $4 AND ${SHOWN}
       ORDER BY created_at DESC LIMIT 1`,
      [projectId, since, keyId, requestId],
      { prepared: true },
    );
    return row ?? null;
  }

  /** The customer of the last live call that came in from outside and that the agent took; null if there was none. */
  async lastCallerOf(projectId: string, agent: string, since: Date): Promise<string | null> {
    const [row] = await this.db.query<{ customer_number: string }>(
      `SELECT customer_number FROM calls AS call
       WHERE project_id = $1 AND direction = 'inbound' AND created_at >= $3 AND agent = $2 AND NOT sandbox AND EXISTS (
         SELECT FROM legs WHERE call_id = call.id AND role = 'customer' AND endpoint->>'type' <> 'softphone'
       ) ${NEWEST_FIRST} LIMIT 1`,
      [projectId, agent, since],
    );
    return row?.customer_number ?? null;
  }

  /** Whether the agent's softphone has called one of the numbers since then. @param agent null: any of the project */
  async hasCalled(projectId: string, agent: string | null, numbers: readonly string[], since: Date): Promise<boolean> {
    const rows = await this.db.query(
      `SELECT 1 FROM calls
       WHERE project_id = $1 AND ($2::text IS NULL OR agent = $2) AND created_at >= $4 AND direction = 'outbound'
         AND customer_number = ANY ($3)
       LIMIT 1`,
      [projectId, agent, numbers, since],
    );
    return rows.length > 0;
  }

  /** Up to `limit` calls after a position, newest first; new calls do not shift the pages. */
  async list(
    scope: CallScope,
    filter: CallFilter,
    { limit, after }: { readonly limit: number; readonly after?: Position | undefined },
  ): Promise<{ rows: ShownCall[]; hasMore: boolean }> {
    const where = conditions(scope, filter);
    if (!where) return { rows: [], hasMore: false };
    if (after) {
      where.terms.push(`(created_at, id) < (${where.value(after.createdAt)}, ${where.value(after.id)}::uuid)`);
    }
    const rows = await this.db.query<ShownCall>(
      `SELECT ${SHOWN_COLUMNS.join(', ')} FROM calls
       WHERE ${where.terms.join(' AND ')} ${NEWEST_FIRST} LIMIT ${where.value(limit + 1)}`,
      where.values,
      { prepared: true },
    );
    return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
  }

  /** A numbered page, from 1, with the total number of calls. */
  async page(
    scope: CallScope,
    filter: CallFilter,
    { page, pageSize }: { readonly page: number; readonly pageSize: number },
  ): Promise<{ rows: ShownCall[]; totalCount: number }> {
    const where = conditions(scope, filter);
    if (!where) return { rows: [], totalCount: 0 };
    const terms = where.terms.join(' AND ');
    const counted = [...where.values];
    const [rows, [total]] = await Promise.all([
      this.db.query<ShownCall>(
        `SELECT ${SHOWN_COLUMNS.join(', ')} FROM calls WHERE ${terms} ${NEWEST_FIRST}
         LIMIT ${where.value(pageSize)} OFFSET ${where.value((page - 1) * pageSize)}`,
        where.values,
        { prepared: true },
      ),
      this.db.query<{ count: number }>(`SELECT count(*) AS count FROM calls WHERE ${terms}`, counted, {
        prepared: true,
      }),
    ]);
    return { rows, totalCount: total?.count ?? 0 };
  }

  /** What is shown of the legs of these calls, each call's in order of creation. */
  async shownLegsOf(callIds: readonly string[]): Promise<ShownLeg[]> {
    if (callIds.length === 0) return [];
    return this.db.query<ShownLeg>(
      `SELECT ${SHOWN_LEG_COLUMNS.join(', ')} FROM legs WHERE call_id = ANY ($1::uuid[]) ORDER BY call_id, id`,
      [callIds],
      { prepared: true },
    );
  }

  /** The legs of these calls, each call's in order of creation. */
  async legsOf(callIds: readonly string[]): Promise<LegRow[]> {
    if (callIds.length === 0) return [];
    return this.db.query<LegRow>(
      `SELECT * FROM legs WHERE call_id = ANY ($1::uuid[]) ORDER BY call_id, id`,
      [callIds],
      { prepared: true },
    );
  }

  /** The recordings of these calls, each call's in order of start. */
  async recordingsOf(callIds: readonly string[]): Promise<RecordingRow[]> {
    if (callIds.length === 0) return [];
    return this.db.query<RecordingRow>(
      `SELECT * FROM recordings WHERE call_id = ANY ($1::uuid[]) ORDER BY call_id, id`,
      [callIds],
      { prepared: true },
    );
  }

  /** The transfers of these calls, each call's in order of start. */
  async transfersOf(callIds: readonly string[]): Promise<TransferRow[]> {
    if (callIds.length === 0) return [];
    return this.db.query<TransferRow>(
      `SELECT * FROM transfers WHERE call_id = ANY ($1::uuid[]) ORDER BY call_id, id`,
      [callIds],
      { prepared: true },
    );
  }

  /** The transfer started by a request of this key, or null. */
  async transferStartedBy(projectId: string, keyId: string, requestId: string): Promise<TransferRow | null> {
    const [row] = await this.db.query<TransferRow>(
      `SELECT * FROM transfers WHERE request_id = $3 AND project_id = $1 AND requested_by = $2 ORDER BY id DESC LIMIT 1`,
      [projectId, keyId, requestId],
    );
    return row ?? null;
  }

  /** The engine's recordings whose audio is not stored yet, oldest first. */
  recordingsToStore(engineId: string, limit: number, except: readonly string[] = []): Promise<RecordingRow[]> {
    return this.db.query<RecordingRow>(
      `SELECT * FROM recordings WHERE engine_id = $1 AND status = 'stopped' AND id <> ALL ($3::uuid[])
       ORDER BY id LIMIT $2`,
      [engineId, limit, except],
      { prepared: true },
    );
  }

  /** Which of these recordings the engine can discard: their audio is stored, lost or deleted. */
  async discardableRecordings(ids: readonly string[]): Promise<string[]> {
    const rows = await this.db.query<{ id: string }>(
      `SELECT id FROM recordings WHERE id = ANY ($1::uuid[]) AND status IN ('available', 'failed', 'deleted')`,
      [ids],
      { prepared: true },
    );
    return rows.map(({ id }) => id);
  }

  /**
   * An engine's unfinished calls, including finished ones with live legs, oldest first. A new owner
   * adopts them.
   */
  unfinished(engineId: string): Promise<CallRow[]> {
    return this.db.query<CallRow>(
      // Uses index lookups; a single condition with OR would read every call of the engine.
      `SELECT * FROM calls
       WHERE id IN (
         SELECT id FROM calls WHERE engine_id = $1 AND status IN ('initiated', 'ringing', 'answered')
         UNION ALL
         SELECT call_id FROM legs WHERE status <> 'ended'
         UNION ALL
         SELECT call_id FROM recordings
         WHERE engine_id = $1 AND status IN ('recording', 'paused') AND conference_id IS NOT NULL
       ) AND engine_id = $1
       ORDER BY created_at, id`,
      [engineId],
      { prepared: true },
    );
  }

  /**
   * An engine's calls that were inserted but not originated: their `place` command is on its way or
   * was lost. Oldest first.
   */
  async unplaced(engineId: string): Promise<string[]> {
    const rows = await this.db.query<{ id: string }>(
      `SELECT id FROM calls
       WHERE engine_id = $1 AND status = 'initiated' AND originating_at IS NULL AND direction = 'outbound'
       ORDER BY id`,
      [engineId],
      { prepared: true },
    );
    return rows.map(({ id }) => id);
  }
}

class Conditions {
  readonly terms: string[] = [];
  readonly values: unknown[] = [];

  /** Adds a value and returns its placeholder. */
  value(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

/** The filter as SQL; null if nothing can match it. */
function conditions(scope: CallScope, filter: CallFilter): Conditions | null {
  const where = new Conditions();
  const equal = (column: string, value: string | undefined) => {
    if (value !== undefined) where.terms.push(`${column} = ${where.value(value)}`);
  };
  for (const id of [filter.queueId, filter.callflowId]) if (id !== undefined && !isId(id)) return null;
  where.terms.push(SHOWN);
  equal('project_id', scope.projectId);
  equal('status', filter.status);
  equal('kind', filter.kind);
  equal('direction', filter.direction);
  equal('queue_id', filter.queueId);
  equal('callflow_id', filter.callflowId);
  if (filter.live === true) where.terms.push(`status IN (${LIVE})`);
  if (scope.sandboxOnly) where.terms.push('sandbox');
  equal('agent', scope.agent ?? undefined);
  if (filter.from) where.terms.push(`created_at >= ${where.value(filter.from)}`);
  if (filter.to) where.terms.push(`created_at <= ${where.value(filter.to)}`);
  return where;
}
