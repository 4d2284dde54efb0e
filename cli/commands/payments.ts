import type { Command } from 'commander';
import type { PaymentRow } from '../../core/data/rows.js';
import { formatSar } from '../../core/model/money.js';
import { PAYMENT_STATUSES } from '../../core/model/payment.js';
import type { CliContext } from '../common/context.js';
import { result, table } from '../common/output.js';
import { paymentOf } from '../common/amount.js';
import { statusOf, type Shared } from '../common/options.js';

interface Options extends Shared {
  readonly status?: string;
  readonly bankReference?: string;
  readonly reason?: string;
}

const SHOWN = 200;

/** Commands with which the operator handles payments, above all bank transfers. */
export function addPaymentCommands(program: Command, context: CliContext): void {
  const payments = program.command('payments').description('payments of customers; bank transfers are confirmed here');

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
