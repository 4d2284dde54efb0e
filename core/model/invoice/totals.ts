import { MICROS_PER_HALALA, vatInHalalas, type MicroSar } from '../money.js';
import type { InvoiceLine } from './lines.js';

/**
 * The totals of an invoice: `net + vat = gross`. Each is the sum of what the balance covers and
 * what is due, all in whole halalas.
 */
export interface InvoiceTotals {
  /** The sum of the lines before rounding. */
  readonly exact: MicroSar;
  readonly net: MicroSar;
  readonly vat: MicroSar;
  readonly gross: MicroSar;
  /** The part of `exact` covered by earlier payments. */
  readonly balance_exact: MicroSar;
  readonly balance_net: MicroSar;
  readonly balance_vat: MicroSar;
  readonly due_net: MicroSar;
  readonly due_vat: MicroSar;
  readonly due: MicroSar;
}

/**
 * @param available earlier payments not used up by earlier invoices, net
 * @param vatPercent an integer; VAT is computed once on the sum of the lines and rounded half up
 */
export function invoiceTotals(lines: readonly InvoiceLine[], available: MicroSar, vatPercent: number): InvoiceTotals {
  const exact = lines.reduce((sum, line) => sum + line.exact, 0);
  const net = lines.reduce((sum, line) => sum + line.amount, 0);
  const vatOf = (amount: MicroSar): MicroSar => vatInHalalas(amount, vatPercent);
  // A customer who has paid for all usage owes nothing, regardless of how the lines were rounded.
  const isCovered = exact <= available;
  const balance_exact = isCovered ? exact : Math.max(0, Math.floor(available / MICROS_PER_HALALA) * MICROS_PER_HALALA);
  const balance_net = isCovered ? net : Math.min(net, balance_exact);
  const balance_vat = vatOf(balance_net);
  const due_net = net - balance_net;
  const due_vat = vatOf(net) - balance_vat;
  return {
    exact,
    net,
    vat: vatOf(net),
    gross: net + vatOf(net),
    balance_exact,
    balance_net,
    balance_vat,
    due_net,
    due_vat,
    due: due_net + due_vat,
  };
}
