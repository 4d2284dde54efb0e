import type { CallStatus } from '../../../model/call/call.js';
import { isId } from '../../../model/ids.js';
import type { Database } from '../../database.js';
import type { CallRow } from '../../rows.js';

/** Limits callbacks to an organization, optionally to sandbox keys and to one project. */
export interface CallbackScope {
  readonly organizationId: string;
  readonly projectId?: string;
  readonly sandboxOnly: boolean;
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
         AND project_id = coalesce($4, project_id)`,
      [id, scope.organizationId, scope.sandboxOnly, scope.projectId ?? null],
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
