import type { PaymentRefundRow, PaymentRow } from '../../core/data/rows.js';
import { exactSarNumber } from '../../core/model/money.js';
import { fromSar, reader, type InSar, type Wire } from '../../core/model/wire.js';
import type { Platform } from '../common/platform.js';
import { segment, type AdminClient } from './client.js';

const readPayment = reader<PaymentRow>({ next_check_at: true, expires_at: true, created_at: true, ended_at: true });
const readRefund = reader<PaymentRefundRow>({ created_at: true });

/** A payment as the API shows it: with sums and names that the row has not. */
type ListedPayment = InSar<Wire<PaymentRow>, 'amount' | 'vat' | 'paid' | 'refunded'> & {
  readonly total_sar: number;
  readonly currency: string;
  readonly transfer_to: unknown;
};
type ListedRefund = InSar<Wire<PaymentRefundRow>, 'amount' | 'vat' | 'total'>;

function paymentFrom({ total_sar: _, currency: _currency, transfer_to: _to, ...payment }: ListedPayment): PaymentRow {
  return readPayment(
    fromSar<Wire<PaymentRow>, 'amount' | 'vat' | 'paid' | 'refunded'>(payment, 'amount', 'vat', 'paid', 'refunded'),
  );
}

/** Payments, which the operator confirms, refuses and refunds. */
export function remotePayments(client: AdminClient): Platform['paying']['administration'] {
  const path = (reference: string, step: string): string => `/payments/${segment(reference)}/${step}`;
  return {
    list: async (status, limit) => (await client.upTo<ListedPayment>('/payments', limit, { status })).map(paymentFrom),
    confirm: async (reference, paid, bank_reference) => {
      const { booked, payment } = await client.send<{ booked: boolean; payment: ListedPayment }>(
        'POST',
        path(reference, 'confirm'),
        { paid_sar: exactSarNumber(paid), bank_reference },
      );
      return { row: paymentFrom(payment), isNew: booked };
    },
    reject: async (reference, reason) =>
      paymentFrom(await client.send<ListedPayment>('POST', path(reference, 'refuse'), { reason })),
    refund: async (payment, { total, reference, reason, mayOverdraw }) => {
      const made = await client.send<{ booked: boolean; refund: ListedRefund; payment: ListedPayment }>(
        'POST',
        path(payment, 'refund'),
        { total_sar: total === null ? null : exactSarNumber(total), reference, reason, overdraw: mayOverdraw },
      );
      return {
        refund: readRefund(
          fromSar<Wire<PaymentRefundRow>, 'amount' | 'vat' | 'total'>(made.refund, 'amount', 'vat', 'total'),
        ),
        payment: paymentFrom(made.payment),
        isNew: made.booked,
      };
    },
  };
}
