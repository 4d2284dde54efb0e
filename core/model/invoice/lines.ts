import type { CallDirection, CallKind } from '../call/call.js';
import { roundHalfUp, type MicroSar } from '../money.js';

/** Usage in a month, summed by the fields that separate invoice lines. */
export interface UsedItem {
  /** Month of use in Riyadh time: `YYYY-MM`. */
  readonly month: string;
  readonly project_id: string;
  readonly project_name: string;
  readonly kind: 'calls' | 'numbers' | 'usage';
  /** For calls only. */
  readonly direction: CallDirection | null;
  readonly call_kind: CallKind | null;
  /** For usage other than calls: the type as reported. */
  readonly usage_type: string | null;
  /** Call legs, months of numbers, or units. */
  readonly quantity: number;
  /** Billed seconds; null for anything but calls. */
  readonly seconds: number | null;
  /** In millionths, before rounding. */
  readonly exact: MicroSar;
}

/**
 * A printed invoice line. A line for an earlier month holds usage found after that month's own
 * invoice.
 */
export interface InvoiceLine extends UsedItem {
  /** `exact` rounded to whole halalas, half up. */
  readonly amount: MicroSar;
}

/**
 * The lines of an invoice: usage minus what earlier invoices have billed. An item without a
 * remainder gets no line. A line is negative if a corrected rating has lowered the cost since.
 * @param used each item once. @param billed of the same months
 */
export function invoiceLines(used: readonly UsedItem[], billed: readonly UsedItem[]): InvoiceLine[] {
  const billedByKey = new Map<string, UsedItem[]>();
  for (const line of billed) billedByKey.set(keyOf(line), [...(billedByKey.get(keyOf(line)) ?? []), line]);
  const usedKeys = new Set(used.map(keyOf));
  // A corrected rating can leave nothing of what was billed.
  const gone = [...billedByKey.values()].flatMap(([line]) =>
    line && !usedKeys.has(keyOf(line)) ? [nothingOf(line)] : [],
  );
  return [...used, ...gone]
    .map((item) => (billedByKey.get(keyOf(item)) ?? []).reduce(subtractBilled, item))
    .filter(({ exact }) => exact !== 0)
    .map((item) => ({ ...item, amount: roundHalfUp(item.exact) }))
    .sort(compareLines);
}

function nothingOf({ amount: _, ...line }: UsedItem & { readonly amount?: MicroSar }): UsedItem {
  return { ...line, quantity: 0, seconds: line.seconds === null ? null : 0, exact: 0 };
}

function subtractBilled(item: UsedItem, billed: UsedItem): UsedItem {
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

/** Newest month first, then by project, calls before other usage. */
function compareLines(one: UsedItem, other: UsedItem): number {
  return other.month.localeCompare(one.month) || sortKey(one).localeCompare(sortKey(other));
}

function sortKey({ project_name, ...item }: UsedItem): string {
  return `${project_name}\u0000${keyOf({ ...item, project_name })}`;
}
