import { pageOfAudit, type AuditFilter } from '../../data/repositories/accounts/audit.js';
import type { Queryable } from '../../data/database.js';
import type { SealedAuditRow } from '../../data/rows.js';
import { csvLine, type CsvField } from '../../model/csv.js';

const PAGE_SIZE = 1_000;

/** The columns of an export; their names and order are stable. */
export const AUDIT_COLUMNS = [
  ...['created_at', 'organization_id', 'project_id', 'actor', 'key_id', 'user_id', 'administrator_id'],
  ...['ip', 'method', 'path', 'route', 'status', 'error_code', 'request_id', 'details', 'id', 'chain_sequence'],
] as readonly (keyof SealedAuditRow)[];

/** Reads the audit log. */
export class ReadAudit {
  constructor(private readonly db: Queryable) {}

  /** Newest first. @param before the last one of the page before */
  page(filter: AuditFilter, before: string | null, limit: number): Promise<SealedAuditRow[]> {
    return pageOfAudit(this.db, filter, before, limit);
  }

  /** Yields the header line, then the rows, newest first, page by page. @throws DatabaseUnavailable */
  async *csv(filter: AuditFilter): AsyncGenerator<string, void, undefined> {
    // The header goes out with the first page, so that an unavailable database fails before anything was yielded.
    let text = csvLine(AUDIT_COLUMNS);
    let before: string | null = null;
    do {
      const rows: readonly SealedAuditRow[] = await pageOfAudit(this.db, filter, before, PAGE_SIZE);
      text += rows.map((row) => csvLine(AUDIT_COLUMNS.map((name) => fieldOf(row[name])))).join('');
      if (text !== '') yield text;
      text = '';
      before = rows.length === PAGE_SIZE ? (rows.at(-1)?.id ?? null) : null;
    } while (before !== null);
  }
}

function fieldOf(value: SealedAuditRow[keyof SealedAuditRow]): CsvField {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
