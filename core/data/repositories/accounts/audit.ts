import { redact } from '../../../model/access/redact.js';
import type { Queryable } from '../../database.js';
import type { AuditRow, SealedAuditRow } from '../../rows.js';

/** Writes all rows, redacted, in one statement. Safe to retry: an existing row stays unchanged. */
export async function insertAuditRows(db: Queryable, rows: readonly AuditRow[]): Promise<void> {
  await db.query(
    `INSERT INTO audit_log
       (id, organization_id, project_id, key_id, user_id, administrator_id, actor,
        request_id, method, path, route, status, error_code, ip, details, created_at)
     SELECT id, organization_id, project_id, key_id, user_id, administrator_id, actor,
       request_id, method, path, route, status, error_code, ip, details, created_at
     FROM jsonb_to_recordset($1::jsonb) AS row
       (id uuid, organization_id uuid, project_id uuid, key_id uuid, user_id uuid, administrator_id uuid, actor text, request_id text, method text, path text, route text,
        status integer, error_code text, ip text, details jsonb, created_at timestamptz)
     ON CONFLICT (id) DO NOTHING`,
    [JSON.stringify(redact(rows))],
    { prepared: true },
  );
}

/** The newest rows of a project, newest first. */
export async function listAuditRows(db: Queryable, projectId: string, limit: number): Promise<AuditRow[]> {
  return db.query<AuditRow>(`SELECT * FROM audit_log WHERE project_id = $1 ORDER BY id DESC LIMIT $2`, [
    projectId,
    limit,
  ]);
}

/** Which rows of the audit log to read; an absent member does not filter. */
export interface AuditFilter {
  readonly organization_id?: string;
  readonly project_id?: string;
  readonly key_id?: string;
  readonly user_id?: string;
  readonly administrator_id?: string;
  readonly request_id?: string;
  readonly method?: string;
  readonly route?: string;
  readonly ip?: string;
  readonly from?: Date;
  readonly to?: Date;
}

const EQUAL = [
  ...['organization_id', 'project_id', 'key_id', 'user_id', 'administrator_id'],
  ...['request_id', 'method', 'route', 'ip'],
] as readonly Exclude<keyof AuditFilter, 'from' | 'to'>[];

/** At most `limit` rows, newest first, that are older than the row `before`. */
export function pageOfAudit(
  db: Queryable,
  filter: AuditFilter,
  before: string | null,
  limit: number,
): Promise<SealedAuditRow[]> {
  const values: unknown[] = [];
  const is = (condition: string, value: unknown): string => condition.replace('?', `$${String(values.push(value))}`);
  const conditions = [
    ...EQUAL.flatMap((name) => (filter[name] === undefined ? [] : [is(`${name} = ?`, filter[name])])),
    ...(filter.from === undefined ? [] : [is('created_at >= ?', filter.from)]),
    ...(filter.to === undefined ? [] : [is('created_at <= ?', filter.to)]),
    ...(before === null ? [] : [is('id < ?', before)]),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return db.query<SealedAuditRow>(`SELECT * FROM audit_log ${where} ORDER BY id DESC ${is('LIMIT ?', limit)}`, values);
}
