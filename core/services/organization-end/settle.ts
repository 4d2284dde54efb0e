import type { Database } from '../../data/database.js';
import { callsLeft } from '../../data/repositories/privacy/organization-calls.js';
import { forgetCdrFile, oldCdrFiles } from '../../data/repositories/privacy/organization-files.js';
import { forgetInHistory, hasNumbers, lastMoney } from '../../data/repositories/privacy/organization-rows.js';
import type { OrganizationEndingRow } from '../../data/rows.js';
import { withCounts, withoutKept, type Kept } from '../../model/privacy/report.js';
import { riyadhDay } from '../../model/riyadh.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import type { ObjectStores } from '../../ports/object-store.js';
import { Later, type Piece, type Step } from '../resumable-work/work.js';
import { releaseSome, type FreeNumbersOptions } from './numbers.js';
import { yearsAfter, yearsBefore } from './years.js';

export interface SettleOptions {
  readonly db: Database;
  readonly stores: ObjectStores;
  readonly numbering: FreeNumbersOptions;
  /** Years for which call detail records must be kept, and invoices, payments and the ledger. */
  readonly cdrYears: number;
  readonly invoiceYears: number;
  readonly clock: Clock;
}

const FILES = 50;
const NUMBERS_SECONDS = 600;
/** How often what is kept under legal hold is looked at. */
const HOLD_DAYS = 30;
const DAY_MS = 86_400_000;

/** Deletes files of call detail records that need not be kept any more. */
export function deleteOldFiles(
  { db, stores, cdrYears, clock }: SettleOptions,
  next: string,
): Step<OrganizationEndingRow> {
  return async (work) => {
    const organization = work.row.organization_id;
    const before = riyadhDay(yearsBefore(clock.now(), cdrYears));
    const files = await oldCdrFiles(db, organization, cdrYears === 0 ? TOMORROW(clock.now()) : before, FILES);
    for (const file of files) {
      await stores.of(file.storage).remove(file.storage_key);
      await stores.of(file.storage).remove(file.storage_key.replace(/[^/]+$/, 'manifest.json'));
    }
    await work.advance(async (tx): Promise<Piece> => {
      for (const file of files) await forgetCdrFile(tx, organization, file);
      const report = withCounts(work.row.report, 'cdr_files', { erased: files.length });
      return files.length === FILES ? { report } : { report, step: next };
    });
  };
}

/** Today's file belongs to the past, too, if nothing must be kept. */
const TOMORROW = (now: Date): string => riyadhDay(new Date(now.getTime() + DAY_MS));

/**
 * Decides what must stay, and until when: then the step `again` continues. If nothing must stay, the last rows go.
 */
export function settle(options: SettleOptions, again: string, last: string): Step<OrganizationEndingRow> {
  const { db, numbering, cdrYears, invoiceYears, clock } = options;
  return async (work) => {
    const organization = work.row.organization_id;
    await releaseSome(numbering, organization);
    if (await hasNumbers(db, organization)) throw new Later(NUMBERS_SECONDS, 'numbers');
    await work.advance(async (tx): Promise<Piece> => {
      const now = clock.now();
      const calls = await callsLeft(tx, organization);
      const money = await lastMoney(tx, organization);
      const moneyUntil = money && yearsAfter(money, invoiceYears);
      const isMoneyKept = moneyUntil !== null && moneyUntil > now;
      if (calls === null && !isMoneyKept) {
        await forgetInHistory(tx, organization);
        return { step: last, report: withoutKept(work.row.report, ['cdr', 'billing']) };
      }
      const callsUntil = calls && yearsAfter(calls.last, cdrYears);
      const ends = [calls && yearsAfter(calls.first, cdrYears), isMoneyKept ? moneyUntil : null].filter(
        (at) => at !== null,
      );
      const first = Math.min(...ends.map((at) => at.getTime()));
      const kept_until = [callsUntil, moneyUntil]
        .filter((at) => at !== null)
        .sort((a, b) => b.getTime() - a.getTime())[0];
      // A call that is left although its years are over is recorded under legal hold.
      const pause = first > now.getTime() ? Math.max(first - now.getTime(), DAY_MS) : HOLD_DAYS * DAY_MS;
      const kept: Kept[] = calls ? [{ reason: 'cdr', count: calls.count, until: isoTime(callsUntil) }] : [];
      const counted = withCounts(withoutKept(work.row.report, ['cdr', 'billing']), 'calls', { kept });
      const billing: Kept[] = isMoneyKept ? [{ reason: 'billing', count: 1, until: isoTime(moneyUntil) }] : [];
      return {
        report: withCounts(counted, 'invoices', { kept: billing }),
        status: 'completed',
        step: again,
        finished_at: work.row.finished_at ?? now,
        kept_until: kept_until ?? null,
        due_at: new Date(now.getTime() + pause),
      };
    });
  };
}

/** Nothing is left of the organization but what this row tells. */
export function finish({ clock }: Pick<SettleOptions, 'clock'>): Step<OrganizationEndingRow> {
  return (work) =>
    work.advance(() =>
      Promise.resolve({
        status: 'completed',
        finished_at: work.row.finished_at ?? clock.now(),
        kept_until: null,
        due_at: null,
      }),
    );
}
