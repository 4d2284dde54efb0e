import type { Command } from 'commander';
import type { PaymentRow } from '../../../core/data/rows.js';
import { formatSar } from '../../../core/model/money.js';
import { PAYMENT_STATUSES } from '../../../core/model/payment.js';
import type { CliContext } from '../../common/context.js';
import { CliError, EXIT } from '../../common/failure.js';
import { result, table } from '../../common/output.js';
import { paymentOf } from '../../common/amount.js';
import { statusOf, type Shared } from '../../common/options.js';

interface Options extends Shared {
  readonly status?: string;
  readonly bankReference?: string;
  readonly reason?: string;
  readonly reference?: string;
  readonly overdraw?: true;
}

const SHOWN = 200;

/** Commands with which the operator handles payments, above all bank transfers. */
export function addPaymentCommands(program: Command, context: CliContext): void {
  const payments = program.command('payments').description('list, confirm, refuse and refund payments of customers');

  payments
    .command('list')
    .description(`list the newest ${SHOWN} payments of all organizations`)
    .option('--status <status>', PAYMENT_STATUSES.join(', '))
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const status = statusOf(PAYMENT_STATUSES, options.status);
      return context.withPlatform(async (platform) => {
        const rows = await platform.paying.administration.list(status, SHOWN);
        const columns = {
          REFERENCE: (row: PaymentRow) => row.reference,
          STATUS: (row: PaymentRow) => row.status,
          METHOD: (row: PaymentRow) => row.method,
          DUE: (row: PaymentRow) => formatSar(row.amount + row.vat),
          PAID: (row: PaymentRow) => (row.paid === null ? null : formatSar(row.paid)),
          PROBLEM: (row: PaymentRow) => row.error_code,
          REFUNDED: (row: PaymentRow) => (row.refunded === 0 ? null : formatSar(row.refunded)),
          ORGANIZATION: (row: PaymentRow) => row.organization_id,
          SINCE: (row: PaymentRow) => row.created_at,
        };
        result(context.output(options.json), rows, table(rows, columns, 'There is no payment.'));
      });
    });

  payments
    .command('confirm')
    .description('confirm a bank transfer; booked once, and only if the amount is complete with tax')
    .argument('<reference>', 'reference on the transfer')
    .argument('<sar>', 'amount that arrived')
    .option('--bank-reference <text>', 'the bank’s reference of the transfer')
    .action((reference: string, sar: string, _: unknown, command: Command) => {
      const { json, bankReference = null } = command.optsWithGlobals<Options>();
      const paid = paymentOf(sar);
      return context.withPlatform(async (platform) => {
        const { row, isNew } = await platform.paying.administration.confirm(reference, paid, bankReference);
        const said = isNew
          ? `Booked ${formatSar(paid)} SAR: ${formatSar(row.amount)} for the pool, ${formatSar(row.vat)} of tax.`
          : `${row.reference} was booked already.`;
        result(context.output(json), { booked: isNew, payment: row }, said);
      });
    });

  payments
    .command('refund')
    .description('book a refund, whose money you send back at the bank or the gateway')
    .argument('<payment>', 'reference of the payment')
    .argument('[sar]', 'amount with tax; all that is not refunded yet by default')
    .requiredOption('--reason <text>', 'kept with the refund')
    .requiredOption('--reference <text>', 'your own reference; each one refunds the payment once')
    .option('--overdraw', 'allow the balance to fall below zero')
    .action((payment: string, sar: string | undefined, _: unknown, command: Command) => {
      const { json, reason = '', reference = '', overdraw = false } = command.optsWithGlobals<Options>();
      for (const [name, text] of Object.entries({ reason, reference })) {
        if (text.trim() === '' || text.length > 250) {
          throw new CliError(`--${name} must be 1 to 250 characters.`, EXIT.usage);
        }
      }
      const total = sar === undefined ? null : paymentOf(sar);
      return context.withPlatform(async (platform) => {
        const wanted = { total, reference, reason, mayOverdraw: overdraw };
        const { refund, payment: row, isNew } = await platform.paying.administration.refund(payment, wanted);
        const said = isNew
          ? `Booked a refund of ${formatSar(refund.total)} SAR: ${formatSar(refund.amount)} from the pool, ${formatSar(refund.vat)} of tax.`
          : `${reference} was booked already.`;
        result(context.output(json), { booked: isNew, refund, payment: row }, said);
      });
    });

  payments
    .command('refuse')
    .description('refuse a pending payment')
    .argument('<reference>')
    .requiredOption('--reason <text>', 'reason shown to the customer')
    .action((reference: string, _: unknown, command: Command) => {
      const { json, reason = '' } = command.optsWithGlobals<Options>();
      return context.withPlatform(async (platform) => {
        const row = await platform.paying.administration.reject(reference, reason);
        result(context.output(json), row, `${row.reference} is ${row.status}.`);
      });
    });
}
