import type { CallDirection, CallKind } from '../../model/call/call.js';
import type { InvoiceLine } from '../../model/invoice/lines.js';
import type { Buyer, Seller } from '../../model/invoice/seller.js';
import type { InvoiceTotals } from '../../model/invoice/totals.js';
import type { MicroSar } from '../../model/money.js';

export interface RatePlanRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
}

/** The rates of a plan from a time on, until those of the next version. */
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

/** `prepaid`: calls are made from what the project was given out of the organization's pool. */
export type BillingMode = 'postpaid' | 'prepaid';

export interface BillingProfileRow {
  readonly organization_id: string;
  /** Null: the plan named `default`. */
  readonly plan_id: string | null;
  readonly mode: BillingMode;
}

/** What one charge costs. */
export interface RatingLine {
  readonly charge_id: string;
  /** Null where no version of the plan was in force. */
  readonly version_id: string | null;
  readonly direction: CallDirection;
  readonly kind: CallKind;
  /** Of the rate; null where the plan says nothing of such a leg. */
  readonly prefix: string | null;
  readonly seconds: number;
  readonly billed_seconds: number;
  readonly per_minute: MicroSar;
  readonly amount: MicroSar;
}

/** What a call costs. Never changed. */
export interface CallRatingRow {
  readonly call_id: string;
  readonly organization_id: string;
  readonly project_id: string;
  /** `YYYY-MM-DD` of Riyadh, in which the first charge began. */
  readonly day: string;
  readonly amount: MicroSar;
  readonly lines: readonly RatingLine[];
  readonly rated_at: Date;
}

/**
 * What an account stands for; `pool` and `project` are what is left of the customer's money, `revenue` what was used up, `payments` what was paid
 * in, `vat` what of it is the tax authority's. A payment takes from `payments` and gives to `pool` and `vat`; what costs takes from `project` and gives
 * to `revenue`.
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

/** What a project may spend; null has no limit. */
export interface SpendCapsRow {
  readonly project_id: string;
  readonly day: MicroSar | null;
  readonly month: MicroSar | null;
}

/** Something besides calls that was used, as it was told to us. Never changed. */
export interface UsageEventRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  /** Of whoever told it; unique in the project. */
  readonly event_id: string;
  readonly type: string;
  readonly quantity: number;
  readonly unit_price: MicroSar;
  readonly amount: MicroSar;
  readonly occurred_at: Date;
  readonly created_at: Date;
}

/** An invoice as it was issued. Never changed; what comes to light later stands on the next one. */
export interface InvoiceRow extends InvoiceTotals {
  readonly id: string;
  readonly organization_id: string;
  /** `INV-2026-000001`: the series, and the place in it. */
  readonly number: string;
  readonly series: string;
  readonly sequence: number;
  /** Of Riyadh: `YYYY-MM`. */
  readonly month: string;
  readonly issued_at: Date;
  readonly seller: Seller;
  readonly buyer: Buyer;
  readonly lines: readonly InvoiceLine[];
  readonly vat_percent: number;
}

/** What was due of an invoice was paid. Never changed. */
export interface InvoicePaymentRow {
  readonly invoice_id: string;
  readonly payment_id: string;
  readonly paid_at: Date;
}

/** A file of an organization's call detail records of a day. */
export interface CdrFileRow {
  readonly organization_id: string;
  /** `YYYY-MM-DD` of Riyadh, in which the calls were created. */
  readonly day: string;
  /** 1, 2, …: each is whole, the newest counts. */
  readonly revision: number;
  /** What usage said of the day before the file was written. */
  readonly usage_calls: number;
  readonly usage_seconds: number;
  readonly usage_cost: MicroSar;
  /** In the file. */
  readonly calls: number;
  readonly amount: MicroSar;
  readonly bytes: number;
  readonly sha256: string;
  readonly storage: 'local' | 's3';
  readonly storage_key: string;
  readonly created_at: Date;
  readonly removed_at: Date | null;
}
