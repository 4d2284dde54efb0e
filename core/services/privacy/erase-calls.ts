import type { Queryable } from '../../data/database.js';
import {
  eraseBesideRecords,
  eraseTransferTarget,
  removeFromLegs,
  removeNumbers,
  sortByRetention,
} from '../../data/repositories/privacy/erase-calls.js';
import { foundCalls, forgetCalls } from '../../data/repositories/privacy/found-calls.js';
import type { PrivacyJobRow } from '../../data/rows.js';
import { withCounts, withoutKept, type Report } from '../../model/privacy/report.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import type { Step } from '../resumable-work/work.js';
import type { SubjectOf } from './find.js';
import { numberOf } from './sources.js';

export interface EraseCallsOptions {
  readonly subjectOf: SubjectOf;
  /** Years for which call detail records must be kept. */
  readonly cdrYears: number;
  readonly clock: Clock;
}

const PAGE = 100;

/** Erases what calls say of the person, except what their records must keep. */
export function eraseCalls(options: EraseCallsOptions, next: string): Step<PrivacyJobRow> {
  return (work) =>
    work.advance(async (tx) => {
      const { row } = work;
      const after = row.cursor as string | null;
      const before = after === null ? withoutKept(row.report, ['cdr']) : row.report;
      const page = await foundCalls(tx, row.id, after, PAGE);
      const own = page.filter(({ is_party }) => !is_party).map(({ call_id }) => call_id);
      const joined = page.filter(({ is_party }) => is_party).map(({ call_id }) => call_id);
      const number = numberOf(options.subjectOf(row));
      const report = await eraseOwn(tx, options, row, own, before);
      const rest = number === null ? report : await eraseJoined(tx, options, row, { own, joined, number }, report);
      return page.length < PAGE ? { report: rest, step: next } : { report: rest, cursor: page.at(-1)?.call_id };
    });
}

async function eraseOwn(
  tx: Queryable,
  { cdrYears, clock }: EraseCallsOptions,
  row: PrivacyJobRow,
  callIds: readonly string[],
  before: Report,
): Promise<Report> {
  const { timeline, events } = await eraseBesideRecords(tx, callIds);
  const { free, kept, keptUntil } = await sortByRetention(tx, callIds, cdrYears, clock.now());
  await removeNumbers(tx, free);
  await forgetCalls(tx, row.id, free);
  const counted = withCounts(before, 'calls', {
    anonymised: free.length,
    kept: [{ reason: 'cdr', count: kept, until: isoTime(keptUntil) }],
  });
  const withTimeline = withCounts(counted, 'call_timeline', { found: timeline, erased: timeline });
  return withCounts(withTimeline, 'events', { found: events, erased: events });
}

/** Removes the number from transfers, and from the legs of other people's calls that need not be kept. */
async function eraseJoined(
  tx: Queryable,
  { cdrYears, clock }: EraseCallsOptions,
  row: PrivacyJobRow,
  {
    own,
    joined,
    number,
  }: { readonly own: readonly string[]; readonly joined: readonly string[]; readonly number: string },
  before: Report,
): Promise<Report> {
  const transfers = await eraseTransferTarget(tx, [...own, ...joined], number);
  const { free, kept, keptUntil } = await sortByRetention(tx, joined, cdrYears, clock.now());
  await removeFromLegs(tx, free, number);
  await forgetCalls(tx, row.id, free);
  const counted = withCounts(before, 'legs', {
    anonymised: free.length,
    kept: [{ reason: 'cdr', count: kept, until: isoTime(keptUntil) }],
  });
  return withCounts(counted, 'transfers', { found: transfers, anonymised: transfers });
}
