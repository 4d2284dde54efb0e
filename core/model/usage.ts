import { multiplyDivide } from './money.js';
import { RIYADH_MS } from './riyadh.js';

/** How usage can be grouped. */
export const USAGE_GROUPS = ['day', 'hour', 'status', 'queue'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** A half-open period: `from` is included, `before` is not. Null means no bound on that side. */
export interface Span {
  readonly from: Date | null;
  readonly before: Date | null;
}

/**
 * How a period is split for counting. Each call is counted in exactly one part, except that edges
 * can subtract what the hours counted too much.
 */
export interface UsageSlices {
  /** The whole period. */
  readonly whole: Span;
  /** Days and hours together. */
  readonly rolledUp: Span;
  /** Whole days in Riyadh time. */
  readonly days: Span;
  /** Whole hours before and after the days. */
  readonly hours: readonly [Span, Span];
  /** Parts of an hour at both ends, counted call by call: added or subtracted. */
  readonly edges: readonly [Edge, Edge];
}

export interface Edge extends Span {
  readonly sign: 1 | -1;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The longest period per group that has a limit, both ends included. */
export const LONGEST_MS = { hour: 31 * DAY_MS, day: 366 * DAY_MS } as const;

const START = new Date(0);
const NOTHING: Span = { from: START, before: START };

/**
 * Splits a period into the parts that rollups cover and the parts that they do not.
 * @param from included; undefined means no start
 * @param to included, to the millisecond, and not before `from`; undefined means no end
 * @param byDays whether whole days may be read from the daily rollup
 */
export function sliceUsage(from: Date | undefined, to: Date | undefined, byDays: boolean): UsageSlices {
  const start = from?.getTime() ?? -Infinity;
  const end = to === undefined ? Infinity : to.getTime() + 1;
  // At most half an hour is counted call by call at each end: often a single second before
  // midnight.
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

/**
 * The time between a bound and its nearest hour: added if the hours miss it, subtracted if they
 * include it.
 */
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

/** Minutes with two decimals, half up. */
export function minutesOf(seconds: number): number {
  return multiplyDivide(seconds, 100, 60) / 100;
}
