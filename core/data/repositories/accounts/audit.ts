import { redact } from '../../../model/access/redact.js';
import type { Queryable } from '../../database.js';
import type { AuditRow } from '../../rows.js';

/** Writes all rows, redacted, in one statement. Safe to retry: an existing row stays unchanged. */
export async function insertAuditRows(db: Queryable, rows: readonly AuditRow[]): Promise<void> {
  await db.query(
    `INSERT INTO audit_log
       (id, organization_id, project_id, key_id, request_id, method, path, route, status, error_code, ip, details, created_at)
     SELECT id, organization_id, project_id, key_id, request_id, method, path, route, status, error_code, ip, details, created_at
     FROM jsonb_to_recordset($1::jsonb) AS row
       (id uuid, organization_id uuid, project_id uuid, key_id uuid, request_id text, method text, path text, route text,
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
