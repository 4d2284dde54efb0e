import type { Queryable } from '../../data/database.js';
import type { SearchPosition } from '../../data/repositories/privacy/found-calls.js';
import { deleteCalls, eraseCallDetails, pageOfCalls } from '../../data/repositories/privacy/organization-calls.js';
import { deleteEvents, deleteRows } from '../../data/repositories/privacy/organization-rows.js';
import type { OrganizationTable } from '../../data/repositories/privacy/organization-tables.js';
import type { OrganizationEndingRow } from '../../data/rows.js';
import { withCounts } from '../../model/privacy/report.js';
import type { Piece, Step } from '../resumable-work/work.js';
import { firstCalls } from './sources.js';

const ROWS = 1_000;
const CALLS = 100;

/** Deletes events, with what was sent of them. */
export function deleteAllEvents(next: string): Step<OrganizationEndingRow> {
  return (work) =>
    work.advance(async (tx) => {
      const deleted = await deleteEvents(tx, work.row.organization_id, ROWS);
      const report = withCounts(work.row.report, 'events', { erased: deleted });
      return deleted === ROWS ? { report } : { report, step: next };
    });
}

/** Deletes the rows of tables, one table after another. The cursor is the number of the table. */
export function deleteTables(tables: readonly OrganizationTable[], next: string): Step<OrganizationEndingRow> {
  return (work) =>
    work.advance(async (tx): Promise<Piece> => {
      const { organization_id: organization, report, cursor } = work.row;
      const index = (cursor as number | null) ?? 0;
      const table = tables[index];
      if (!table) return { step: next };
      const deleted = await deleteRows(tx, table, organization, ROWS);
      const counted = withCounts(report, table.name, { erased: deleted });
      return { report: counted, cursor: deleted === ROWS ? index : index + 1 };
    });
}

/** Deletes what calls left besides their records; calls of the sandbox, which have none, go altogether. */
export function deleteCallDetails(next: string): Step<OrganizationEndingRow> {
  return eachPageOfCalls(null, next, async (tx, calls) => {
    await eraseCallDetails(
      tx,
      calls.map(({ id }) => id),
    );
    const erased = await deleteCalls(
      tx,
      calls.filter(({ sandbox }) => sandbox).map(({ id }) => id),
    );
    return { erased, anonymised: calls.length - erased };
  });
}

/** Deletes the records of calls that need not be kept any more. @param before created before this time */
export function deleteOldCalls(before: () => Date, next: string): Step<OrganizationEndingRow> {
  return eachPageOfCalls(before, next, async (tx, calls) => {
    const ids = calls.map(({ id }) => id);
    await eraseCallDetails(tx, ids);
    return { erased: await deleteCalls(tx, ids), anonymised: 0 };
  });
}

interface Done {
  readonly erased: number;
  readonly anonymised: number;
}

function eachPageOfCalls(
  before: (() => Date) | null,
  next: string,
  erase: (tx: Queryable, calls: readonly { readonly id: string; readonly sandbox: boolean }[]) => Promise<Done>,
): Step<OrganizationEndingRow> {
  return (work) =>
    work.advance(async (tx): Promise<Piece> => {
      const { organization_id: organization, report, cursor } = work.row;
      const from = (cursor as SearchPosition | null) ?? (await firstCalls(tx, organization, null));
      if (from === null) return { step: next };
      const page = await pageOfCalls(tx, from, before?.() ?? null, CALLS);
      const counted = withCounts(report, 'calls', await erase(tx, page.calls));
      const following = page.next ?? (await firstCalls(tx, organization, from.projectId));
      return following === null ? { report: counted, step: next } : { report: counted, cursor: following };
    });
}
