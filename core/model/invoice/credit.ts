import { invalidField } from '../errors/index.js';
import { formatSar, MICROS_PER_HALALA, vatInHalalas, type MicroSar } from '../money.js';
import { arabic } from '../wording/wording.js';
import type { InvoiceLine } from './lines.js';

/** A credited line of an invoice. */
export interface CreditLine extends Omit<InvoiceLine, 'exact' | 'quantity' | 'seconds'> {
  /** The position of the line on the invoice, from 1. */
  readonly line: number;
}

/** What an invoice has, and what was credited of it before. */
export interface Creditable {
  readonly lines: readonly InvoiceLine[];
  readonly net: MicroSar;
  readonly vat_percent: number;
  readonly credited: readonly {
    readonly lines: readonly CreditLine[];
    readonly net: MicroSar;
    readonly vat: MicroSar;
  }[];
}

/** What is to be credited, without VAT: everything that is left, an amount, or a line or a part of it. */
export interface CreditRequest {
  /** From 1; null for all lines. */
  readonly line: number | null;
  /** Null for all that is left. */
  readonly amount: MicroSar | null;
}

export interface Credit {
  readonly lines: readonly CreditLine[];
  readonly net: MicroSar;
  readonly vat: MicroSar;
  readonly gross: MicroSar;
}

/**
 * Computes a credit in whole halalas. An amount without a line is taken from the lines in their order. VAT is in
 * proportion: all credits of an invoice together have the VAT of their net sum, so that they never exceed the invoice's.
 * @throws HatifError VALIDATION_ERROR if it is more than the invoice has left
 */
export function creditOf(invoice: Creditable, request: CreditRequest): Credit {
  const before = invoice.credited.reduce((sum, { net }) => sum + net, 0);
  const left = invoice.net - before;
  if (left <= 0) throw invalidField('invoice', NOTHING_LEFT);
  const leftOfLines = invoice.lines.map(({ amount }, index) => amount - creditedOf(invoice, index + 1));
  const amounts =
    request.line === null ? ofInvoice(leftOfLines, left, request.amount) : ofLine(leftOfLines, left, request);
  const net = amounts.reduce((sum, amount) => sum + amount, 0);
  const vatBefore = invoice.credited.reduce((sum, { vat }) => sum + vat, 0);
  const vat = vatInHalalas(before + net, invoice.vat_percent) - vatBefore;
  const lines = invoice.lines.flatMap(({ exact: _, quantity: __, seconds: ___, ...line }, index) => {
    const amount = amounts[index] ?? 0;
    return amount === 0 ? [] : [{ ...line, line: index + 1, amount }];
  });
  return { lines, net, vat, gross: net + vat };
}

function creditedOf({ credited }: Creditable, line: number): MicroSar {
  return credited
    .flatMap(({ lines }) => lines)
    .reduce((sum, credit) => (credit.line === line ? sum + credit.amount : sum), 0);
}

function ofInvoice(leftOfLines: readonly MicroSar[], left: MicroSar, wanted: MicroSar | null): MicroSar[] {
  if (wanted === null || wanted === left) return [...leftOfLines];
  check(wanted, left);
  let rest = wanted;
  return leftOfLines.map((ofLine) => {
    const amount = Math.max(0, Math.min(ofLine, rest));
    rest -= amount;
    return amount;
  });
}

function ofLine(leftOfLines: readonly MicroSar[], left: MicroSar, { line, amount }: CreditRequest): MicroSar[] {
  const index = (line ?? 0) - 1;
  const ofThis = leftOfLines[index];
  if (ofThis === undefined) {
    const { length } = leftOfLines;
    throw invalidField('line', { en: `must be 1 to ${length}`, ar: arabic`يجب أن يكون من 1 إلى ${length}` });
  }
  const most = Math.min(ofThis, left);
  if (most <= 0) throw invalidField('line', NOTHING_LEFT);
  const wanted = amount ?? most;
  check(wanted, most);
  return leftOfLines.map((_, each) => (each === index ? wanted : 0));
}

function check(wanted: MicroSar, left: MicroSar): void {
  if (wanted <= 0 || wanted % MICROS_PER_HALALA !== 0) throw invalidField('amount', NOT_HALALAS);
  if (wanted <= left) return;
  throw invalidField('amount', {
    en: `must be at most ${formatSar(left)} SAR without VAT, which is not credited yet`,
    ar: arabic`يجب ألا يزيد على ${formatSar(left)} ريال سعودي (غير شامل ضريبة القيمة المضافة)، وهو ما لم يُقيَّد له إشعار دائن بعد`,
  });
}

const NOTHING_LEFT = { en: 'has nothing left to credit', ar: 'لم يبقَ منه مبلغ يمكن إصدار إشعار دائن به' };
const NOT_HALALAS = { en: 'must be more than 0, in whole halalas', ar: 'يجب أن يكون أكبر من صفر وبالهللات الصحيحة' };
