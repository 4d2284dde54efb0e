import type { CallDirection, CallKind, CallStatus, Disposition } from '../call/call.js';
import type { CsvField } from '../csv.js';
import { maskNumber } from '../access/masking.js';
import { fullNumber } from '../phone-numbers.js';
import { exactSarNumber, type MicroSar } from '../money.js';
import { exactRiyadhTime } from '../riyadh.js';

/** Everything about a finished call that billing reconciliation needs. */
export interface CallDetail {
  readonly id: string;
  /** Whether the platform made the call for itself: its id is not shown. */
  readonly system: boolean | null;
  readonly project_id: string;
  readonly direction: CallDirection;
  readonly kind: CallKind;
  readonly status: CallStatus;
  readonly disposition: Disposition | null;
  readonly customer_number: string;
  readonly line_number: string | null;
  readonly queue_id: string | null;
  readonly agent: string | null;
  readonly hangup_q850: number | null;
  readonly hangup_sip_code: number | null;
  readonly hangup_text: string | null;
  readonly created_at: Date;
  readonly ringing_at: Date | null;
  readonly answered_at: Date | null;
  readonly ended_at: Date | null;
  /** From answer to end, as usage counts them. */
  readonly seconds: number;
  /** The lowest score among the call's legs; null if not measured. */
  readonly mos: number | null;
  /** Null: free of charge, or not rated yet. */
  readonly amount: MicroSar | null;
  readonly rated_at: Date | null;
  /** Number of legs that cost something, and their billed seconds, as on the invoice. */
  readonly charges: number | null;
  readonly billed_seconds: number | null;
  /** Rate plans and versions applied: `retail:2`. */
  readonly plans: string | null;
  readonly prefixes: string | null;
}

type Column = readonly [name: string, value: (call: CallDetail) => CsvField];

const utc = (time: Date | null): string | null => time?.toISOString() ?? null;

/** The order is fixed for good; append new columns at the end. */
const COLUMNS: readonly Column[] = [
  ['call_id', ({ id, system }) => (system === true ? null : id)],
  ['project_id', ({ project_id }) => project_id],
  ['direction', ({ direction }) => direction],
  ['kind', ({ kind }) => kind],
  ['status', ({ status }) => status],
  ['disposition', ({ disposition }) => disposition],
  ['customer_number', ({ customer_number }) => maskNumber(customer_number)],
  ['line_number', ({ line_number }) => line_number],
  ['queue_id', ({ queue_id }) => queue_id],
  ['agent', ({ agent }) => agent],
  ['created_at', ({ created_at }) => utc(created_at)],
  ['created_at_riyadh', ({ created_at }) => exactRiyadhTime(created_at)],
  ['ringing_at', ({ ringing_at }) => utc(ringing_at)],
  ['answered_at', ({ answered_at }) => utc(answered_at)],
  ['ended_at', ({ ended_at }) => utc(ended_at)],
  ['duration_seconds', ({ seconds }) => seconds],
  ['charged_legs', ({ charges }) => charges ?? 0],
  ['billed_seconds', ({ billed_seconds }) => billed_seconds ?? 0],
  ['price_sar', ({ amount }) => (amount === null ? null : exactSarNumber(amount).toFixed(6))],
  ['rate_plans', ({ plans }) => plans],
  ['rate_prefixes', ({ prefixes }) => prefixes],
  ['rated_at', ({ rated_at }) => utc(rated_at)],
  ['hangup_q850', ({ hangup_q850 }) => hangup_q850],
  ['hangup_sip_code', ({ hangup_sip_code }) => hangup_sip_code],
  ['hangup_text', ({ hangup_text }) => hangup_text],
  ['mos', ({ mos }) => mos],
];

/** Only in exports for those who may see it: after all others, so that their order is the same in every export. */
const UNMASKED: Column = ['customer_number_unmasked', ({ customer_number }) => fullNumber(customer_number)];
const WITH_UNMASKED: readonly Column[] = [...COLUMNS, UNMASKED];

export const CDR_COLUMNS: readonly string[] = COLUMNS.map(([name]) => name);
export const [UNMASKED_COLUMN] = UNMASKED;

/** The names of the columns, as {@link cdrFields} orders them. */
export function cdrColumns(unmasked: boolean): readonly string[] {
  return (unmasked ? WITH_UNMASKED : COLUMNS).map(([name]) => name);
}

/** A call's fields. The customer's number is masked. @param unmasked whether a last field has the full number, too */
export function cdrFields(call: CallDetail, unmasked: boolean): CsvField[] {
  return (unmasked ? WITH_UNMASKED : COLUMNS).map(([, value]) => value(call));
}
