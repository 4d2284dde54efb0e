import type { CallStatus } from '../../../model/call/call.js';
import { isId } from '../../../model/ids.js';
import type { Database } from '../../database.js';
import type { CallRow } from '../../rows.js';

/** Limits callbacks to an organization, optionally to sandbox keys, to one project or several, and to one agent. */
export interface CallbackScope {
  readonly organizationId: string;
  readonly projectId?: string;
  /** Null or absent: every project of the organization. */
  readonly projectIds?: readonly string[] | null;
  readonly sandboxOnly: boolean;
  /** Only the callbacks of the agent with this extension; absent or null: of everybody. */
  readonly agent?: string | null;
}

/** Filters callbacks; times of creation, both ends included. */
export interface CallbackFilter {
  readonly status?: CallStatus | undefined;
  readonly queueId?: string | undefined;
  readonly from: Date;
  readonly to?: Date | undefined;
}

/** Callbacks are calls of the kind `callback`; a callback has the id of its call. */
export class Callbacks {
  constructor(private readonly db: Database) {}

  /** Null for a malformed id and for a callback outside the scope. */
  async get(scope: CallbackScope, id: string): Promise<CallRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<CallRow>(
      `SELECT * FROM calls
       WHERE id = $1 AND kind = 'callback' AND organization_id = $2 AND (sandbox OR NOT $3)
         AND project_id = coalesce($4, project_id) AND ($5::uuid[] IS NULL OR project_id = ANY ($5))
         AND ($6::text IS NULL OR agent = $6)`,
      [
        id,
        scope.organizationId,
        scope.sandboxOnly,
        scope.projectId ?? null,
        scope.projectIds ?? null,
        scope.agent ?? null,
      ],
      { prepared: true },
    );
    return row ?? null;
  }

  /** A numbered page, from 1, newest first, with the total count. */
  async page(
    scope: CallbackScope,
    filter: CallbackFilter,
    { page, pageSize }: { readonly page: number; readonly pageSize: number },
  ): Promise<{ rows: CallRow[]; totalCount: number }> {
    if (filter.queueId !== undefined && !isId(filter.queueId)) return { rows: [], totalCount: 0 };
    const values: unknown[] = [];
    const value = (given: unknown): string => `$${values.push(given)}`;
    const terms = [`kind = 'callback'`, `organization_id = ${value(scope.organizationId)}`];
    if (scope.projectId !== undefined) terms.push(`project_id = ${value(scope.projectId)}`);
    if (scope.projectIds) terms.push(`project_id = ANY (${value(scope.projectIds)}::uuid[])`);
    if (scope.agent != null) terms.push(`agent = ${value(scope.agent)}`);
    if (scope.sandboxOnly) terms.push('sandbox');
    if (filter.status !== undefined) terms.push(`status = ${value(filter.status)}`);
    if (filter.queueId !== undefined) terms.push(`queue_id = ${value(filter.queueId)}`);
    terms.push(`created_at >= ${value(filter.from)}`);
    if (filter.to !== undefined) terms.push(`created_at <= ${value(filter.to)}`);
    const where = `WHERE ${terms.join(' AND ')}`;
    const counted = [...values];
    const [rows, [total]] = await Promise.all([
      this.db.query<CallRow>(
        `SELECT * FROM calls ${where} ORDER BY created_at DESC, id DESC
         LIMIT ${value(pageSize)} OFFSET ${value((page - 1) * pageSize)}`,
        values,
        { prepared: true },
      ),
      this.db.query<{ count: number }>(`SELECT count(*) AS count FROM calls ${where}`, counted, { prepared: true }),
    ]);
    return { rows, totalCount: total?.count ?? 0 };
  }
}
