import { hiddenColumns } from '../../../model/privacy/columns.js';
import type { Subject } from '../../../model/privacy/subject.js';
import { lowestIdAt } from '../../../model/ids.js';
import type { Queryable } from '../../database.js';
import type { Finding } from './findings.js';
import { endOfSearch } from './found-calls.js';

export interface FoundRow {
  readonly key: string;
  /** As the archive shows it. */
  readonly shown: object;
  /** Whether it is in use for some minutes. */
  readonly waits: boolean;
}

export interface FoundPage {
  readonly rows: readonly FoundRow[];
  /** The last row that was looked at; null: nothing is left. */
  readonly after: string | null;
}

/**
 * Looks through the next rows of a table, of all organizations: the work of one statement is bounded, however large the
 * table is, and however few rows the organization has in it.
 */
export async function searchRows(
  on: Queryable,
  finding: Finding,
  job: { readonly organization_id: string; readonly created_at: Date },
  subject: Subject,
  after: string | null,
  limit: number,
): Promise<FoundPage> {
  const { table, key, match, more, waits } = finding;
  const hidden = [...hiddenColumns(table), ...(finding.without ?? [])];
  const [page] = await on.query<{ seen: number; last: string | null; rows: FoundRow[] }>(
    `WITH page AS MATERIALIZED (
       SELECT * FROM ${table} WHERE ($3::uuid IS NULL OR ${key} > $3) AND ${key} < $4 ORDER BY ${key} LIMIT $5
     )
     SELECT (SELECT count(*)::int FROM page) AS seen, (SELECT ${key} FROM page ORDER BY ${key} DESC LIMIT 1) AS last,
       (SELECT coalesce(jsonb_agg(jsonb_build_object(
          'key', item.${key}, 'shown', to_jsonb(item) - $6::text[]${more === undefined ? '' : ` || ${more}`},
          'waits', ${waits ?? 'false'}) ORDER BY item.${key}), '[]')
        FROM page AS item WHERE ${match}) AS rows`,
    [job.organization_id, subject.value, after, lowestIdAt(endOfSearch(job)), limit, hidden],
  );
  const { seen = 0, last = null, rows = [] } = page ?? {};
  return { rows, after: seen < limit ? null : last };
}

/** Erases rows that were found, as the finding says. */
export async function eraseRows(tx: Queryable, { erase }: Finding, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  for (const statement of erase.statements) await tx.query(statement, [keys]);
}
