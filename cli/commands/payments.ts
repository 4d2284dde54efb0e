import type { Command } from 'commander';
import type { PaymentRow } from '../../core/data/rows.js';
import { formatSar } from '../../core/model/money.js';
import { PAYMENT_STATUSES } from '../../core/model/payment.js';
import type { CliContext } from '../context.js';
import { result, table } from '../output.js';
import { paymentOf } from './amount.js';
import { statusOf, type Shared } from './shared.js';

interface Options extends Shared {
  readonly status?: string;
  readonly bankReference?: string;
  readonly reason?: string;
}

const SHOWN = 200;

/** What the operator does with payments, above all with bank transfers. */
export function addPaymentCommands(program: Command, context: CliContext): void {
  const payments = program.command('payments').description('what customers pay: bank transfers are confirmed here');

  payments
    .command('list')
    .description(`the newest ${SHOWN} payments of all organizations`)
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
    .description('money has arrived; it is booked once, and only where it is the whole amount with tax')
    .argument('<reference>', 'as the customer wrote it')
    .argument('<sar>', 'what arrived')
    .option('--bank-reference <text>', 'of the transfer, as the bank has it')
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
    .description('nothing comes of a payment that is pending')
    .argument('<reference>')
    .requiredOption('--reason <text>', 'why, for the customer')
    .action((reference: string, _: unknown, command: Command) => {
      const { json, reason = '' } = command.optsWithGlobals<Options>();
      return context.withPlatform(async (platform) => {
        const row = await platform.paying.administration.reject(reference, reason);
        result(context.output(json), row, `${row.reference} is ${row.status}.`);
      });
    });
}
