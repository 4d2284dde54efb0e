import { multiplyDivide } from './money.js';
import { RIYADH_MS } from './riyadh.js';

/** What usage can be told apart by. */
export const USAGE_GROUPS = ['day', 'hour', 'status', 'queue'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** From one time up to another that is not in it any more. Null has no bound on that side. */
export interface Span {
  readonly from: Date | null;
  readonly before: Date | null;
}

/** Where the calls of a period are counted: each call in exactly one of them, except that edges may take off what hours have too much. */
export interface UsageSlices {
  /** All of it. */
  readonly whole: Span;
  /** Days and hours together. */
  readonly rolledUp: Span;
  /** Whole days of Riyadh. */
  readonly days: Span;
  /** Whole hours before and after the days. */
  readonly hours: readonly [Span, Span];
  /** Parts of an hour at both ends, to be counted one by one: added, or taken off. */
  readonly edges: readonly [Edge, Edge];
}

export interface Edge extends Span {
  readonly sign: 1 | -1;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The longest period of the groups that need one, both ends included. */
export const LONGEST_MS = { hour: 31 * DAY_MS, day: 366 * DAY_MS } as const;

const START = new Date(0);
const NOTHING: Span = { from: START, before: START };

/**
 * Cut a period into what is rolled up and what is not.
 * @param from included; without a beginning when undefined
 * @param to included, to the millisecond, and not before `from`; without an end when undefined
 * @param byDays whether whole days may be taken together
 */
export function sliceUsage(from: Date | undefined, to: Date | undefined, byDays: boolean): UsageSlices {
  const start = from?.getTime() ?? -Infinity;
  const end = to === undefined ? Infinity : to.getTime() + 1;
  // At most half an hour is counted one by one at each end: often a single second before midnight.
  const [first, last] = [nearestHour(start), nearestHour(end)];
  const [dayFirst, dayLast] = [ceilDay(first), floorDay(last)];
  const hasDays = byDays && dayFirst < dayLast;
  return {
    whole: span(start, end),
    rolledUp: span(first, last),
    days: hasDays ? span(dayFirst, dayLast) : NOTHING,
    hours: hasDays ? [span(first, dayFirst), span(dayLast, last)] : [span(first, last), NOTHING],
    edges: [edge(start, first), edge(last, end)],
  };
}

/** What lies between a bound and the hour that stands for it: missing where the order is right, too much where it is not. */
function edge(from: number, before: number): Edge {
  return from <= before ? { ...span(from, before), sign: 1 } : { ...span(before, from), sign: -1 };
}

function span(from: number, before: number): Span {
  if (from === before) return NOTHING;
  return { from: bound(from), before: bound(before) };
}

function bound(ms: number): Date | null {
  return Number.isFinite(ms) ? new Date(ms) : null;
}

function nearestHour(ms: number): number {
  return Number.isFinite(ms) ? Math.floor(ms / HOUR_MS + 0.5) * HOUR_MS : ms;
}

function floorDay(ms: number): number {
  return Number.isFinite(ms) ? Math.floor((ms + RIYADH_MS) / DAY_MS) * DAY_MS - RIYADH_MS : ms;
}

function ceilDay(ms: number): number {
  return Number.isFinite(ms) ? Math.ceil((ms + RIYADH_MS) / DAY_MS) * DAY_MS - RIYADH_MS : ms;
}

/** Minutes with two decimals, halves up. */
export function minutesOf(seconds: number): number {
  return multiplyDivide(seconds, 100, 60) / 100;
}
