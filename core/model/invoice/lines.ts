import type { CallDirection, CallKind } from '../call/call.js';
import { roundHalfUp, type MicroSar } from '../money.js';

/** What was used in a month, added up by what one line of an invoice tells apart. */
export interface UsedItem {
  /** Of Riyadh, in which it was used: `YYYY-MM`. */
  readonly month: string;
  readonly project_id: string;
  readonly project_name: string;
  readonly kind: 'calls' | 'usage';
  /** Of calls. */
  readonly direction: CallDirection | null;
  readonly call_kind: CallKind | null;
  /** Of usage besides calls, as it was told. */
  readonly usage_type: string | null;
  /** Legs of calls, or units. */
  readonly quantity: number;
  /** Billed; null for what is no call. */
  readonly seconds: number | null;
  /** To a millionth, before rounding. */
  readonly exact: MicroSar;
}

/** A line as it stands on an invoice. One of a month before the invoice's is what came to light after that month's own invoice. */
export interface InvoiceLine extends UsedItem {
  /** `exact` in whole halalas, halves up. */
  readonly amount: MicroSar;
}

/**
 * The lines of an invoice: what was used, less what earlier invoices have billed of it. Where nothing is left there is no line.
 * @param used each item once
 */
export function invoiceLines(used: readonly UsedItem[], billed: readonly UsedItem[]): InvoiceLine[] {
  const before = new Map<string, UsedItem[]>();
  for (const line of billed) before.set(keyOf(line), [...(before.get(keyOf(line)) ?? []), line]);
  return used
    .map((item) => (before.get(keyOf(item)) ?? []).reduce(less, item))
    .filter(({ exact }) => exact !== 0)
    .map((item) => ({ ...item, amount: roundHalfUp(item.exact) }))
    .sort(byReading);
}

function less(item: UsedItem, billed: UsedItem): UsedItem {
  return {
    ...item,
    quantity: item.quantity - billed.quantity,
    seconds: item.seconds === null ? null : item.seconds - (billed.seconds ?? 0),
    exact: item.exact - billed.exact,
  };
}

function keyOf({ month, project_id, kind, direction, call_kind, usage_type }: UsedItem): string {
  return JSON.stringify([month, project_id, kind, direction, call_kind, usage_type]);
}

/** The newest month first, projects together, calls before other usage. */
function byReading(one: UsedItem, other: UsedItem): number {
  return other.month.localeCompare(one.month) || sortKey(one).localeCompare(sortKey(other));
}

function sortKey({ project_name, ...item }: UsedItem): string {
  return `${project_name}\u0000${keyOf({ ...item, project_name })}`;
}
