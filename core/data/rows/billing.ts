import type { CallDirection, CallKind } from '../../model/call/call.js';
import type { Credit } from '../../model/invoice/credit.js';
import type { InvoiceLine } from '../../model/invoice/lines.js';
import type { Buyer, Seller } from '../../model/invoice/seller.js';
import type { InvoiceTotals } from '../../model/invoice/totals.js';
import type { MicroSar } from '../../model/money.js';
import type { OwnableKind } from '../../model/number/search.js';

export interface RatePlanRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
}

/** The rates of a plan from `valid_from` until the next version's. */
export interface RatePlanVersionRow {
  readonly id: string;
  readonly plan_id: string;
  /** 1, 2, … */
  readonly version: number;
  readonly valid_from: Date;
  readonly created_at: Date;
}

export interface RateRow {
  readonly version_id: string;
  readonly direction: CallDirection;
  readonly kind: CallKind | null;
  readonly prefix: string;
  readonly per_minute: MicroSar;
  readonly increment_seconds: number;
  readonly minimum_seconds: number;
}

export interface NumberRateRow {
  readonly version_id: string;
  readonly kind: OwnableKind | null;
  readonly prefix: string;
  readonly monthly: MicroSar;
}

/** A number from its assignment to a project to its release. */
export interface NumberRentalRow {
  readonly id: string;
  readonly number_id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly assigned_at: Date;
  readonly released_at: Date | null;
  /** The day in Riyadh from which months are counted, `YYYY-MM-DD`. */
  readonly anchor: string;
  /** The next month to charge, from 0. */
  readonly month: number;
  /** When that month starts; null if the number was released before. */
  readonly next_at: Date | null;
}

/** The fee of a number for a month. Immutable. */
export interface NumberFeeRow {
  readonly id: string;
  readonly rental_id: string;
  readonly month: number;
  readonly number_id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly version_id: string;
  /** Riyadh days, `YYYY-MM-DD`; the last one is not included. */
  readonly starts_on: string;
  readonly ends_on: string;
  readonly amount: MicroSar;
  readonly created_at: Date;
}

/**
 * `prepaid`: calls are paid from the balance allocated to the project from the organization's pool.
 */
export type BillingMode = 'postpaid' | 'prepaid';

export interface BillingProfileRow {
  readonly organization_id: string;
  /** Null: the plan named `default`. */
  readonly plan_id: string | null;
  readonly mode: BillingMode;
}

/** The cost of one charge. */
export interface RatingLine {
  readonly charge_id: string;
  /** Null if no version of the plan was in force. */
  readonly version_id: string | null;
  readonly direction: CallDirection;
  readonly kind: CallKind;
  /** Prefix of the rate; null if the plan has no rate for the leg. */
  readonly prefix: string | null;
  readonly seconds: number;
  readonly billed_seconds: number;
  readonly per_minute: MicroSar;
  readonly amount: MicroSar;
}

/** The cost of a call. Immutable. */
export interface CallRatingRow {
  readonly call_id: string;
  readonly organization_id: string;
  readonly project_id: string;
  /** Riyadh day on which the call was created, as usage counts it: `YYYY-MM-DD`. */
  readonly day: string;
  readonly amount: MicroSar;
  readonly lines: readonly RatingLine[];
  readonly rated_at: Date;
}

/** The corrected cost of a rated call. Immutable. */
export interface RatingCorrectionRow {
  readonly id: string;
  readonly call_id: string;
  /** 1, 2, …: the highest one counts. */
  readonly sequence: number;
  readonly organization_id: string;
  readonly project_id: string;
  readonly amount: MicroSar;
  /** From the cost before. */
  readonly difference: MicroSar;
  readonly lines: readonly RatingLine[];
  readonly booked_at: Date;
}

/**
 * Ledger accounts: `pool` and `project` hold the customer's remaining money, `revenue` the spent
 * money, `payments` what was paid in, `vat` the tax in it. A payment debits `payments` and credits
 * `pool` and `vat`; a cost debits `project` and credits `revenue`.
 */
export type LedgerAccountType = 'pool' | 'project' | 'revenue' | 'payments' | 'vat';

export interface LedgerTransactionRow {
  readonly id: string;
  readonly organization_id: string;
  readonly kind: string;
  readonly reference: string;
  readonly note: string | null;
  readonly created_at: Date;
}

/** Spending limits of a project; null means no limit. */
export interface SpendCapsRow {
  readonly project_id: string;
  readonly day: MicroSar | null;
  readonly month: MicroSar | null;
}

/** Usage other than calls, as reported. Immutable. */
export interface UsageEventRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  /** Id chosen by the reporter; unique in the project. */
  readonly event_id: string;
  readonly type: string;
  readonly quantity: number;
  readonly unit_price: MicroSar;
  readonly amount: MicroSar;
  readonly occurred_at: Date;
  readonly created_at: Date;
}

/** An issued invoice. Immutable; usage found later is put on the next invoice. */
export interface InvoiceRow extends InvoiceTotals {
  readonly id: string;
  readonly organization_id: string;
  /** `INV-2026-000001`: the series and the sequence number. */
  readonly number: string;
  readonly series: string;
  readonly sequence: number;
  /** Month in Riyadh time: `YYYY-MM`. */
  readonly month: string;
  readonly issued_at: Date;
  readonly seller: Seller;
  readonly buyer: Buyer;
  readonly lines: readonly InvoiceLine[];
  readonly vat_percent: number;
}

/** A credit of an invoice, or of a part of it. Immutable. */
export interface CreditNoteRow extends Credit {
  readonly id: string;
  readonly organization_id: string;
  readonly invoice_id: string;
  /** `CN-2026-000001`: the series and the sequence number. */
  readonly number: string;
  readonly series: string;
  readonly sequence: number;
  /** Chosen by the operator; unique for the invoice. */
  readonly reference: string;
  readonly reason: string;
  readonly issued_at: Date;
  readonly seller: Seller;
  readonly buyer: Buyer;
  readonly vat_percent: number;
}

/** The payment of an invoice's due amount. Immutable. */
export interface InvoicePaymentRow {
  readonly invoice_id: string;
  readonly payment_id: string;
  readonly paid_at: Date;
}

/** A file with an organization's call detail records of one day. */
export interface CdrFileRow {
  readonly organization_id: string;
  /** Riyadh day on which the calls were created, `YYYY-MM-DD`. */
  readonly day: string;
  /** 1, 2, …: each is complete, the newest counts. */
  readonly revision: number;
  /** Usage of the day before the file was written. */
  readonly usage_calls: number;
  readonly usage_seconds: number;
  readonly usage_cost: MicroSar;
  /** Totals of the file. */
  readonly calls: number;
  readonly amount: MicroSar;
  readonly bytes: number;
  readonly sha256: string;
  readonly storage: 'local' | 's3';
  readonly storage_key: string;
  readonly created_at: Date;
  readonly removed_at: Date | null;
}
