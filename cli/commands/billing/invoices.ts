import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { isMonth, NOT_A_MONTH } from '../../../core/model/invoice/month.js';
import { formatSar } from '../../../core/model/money.js';
import { riyadhDay } from '../../../core/model/riyadh.js';
import type { InvoiceRun } from '../../../core/services/invoices/issuing.js';
import { projectOf, type CliContext } from '../../common/context.js';
import { adviceFor, CliError, EXIT, refusalCode } from '../../common/failure.js';
import { result, table } from '../../common/output.js';
import type { Shared } from '../../common/options.js';
import { addCreditNoteCommands } from './credit-notes.js';

interface RunOptions extends Shared {
  readonly dryRun?: true;
}

interface PdfOptions extends Shared {
  readonly out?: string;
}

/** Maximum number of listed invoices. */
const LISTED = 1_000;

export function addInvoiceCommands(program: Command, context: CliContext): void {
  const invoice = program
    .command('invoice')
    .description('issue, list and credit the monthly invoices of organizations');

  invoice
    .command('run')
    .description('issue the invoices of a past month, for all organizations or that of --project')
    .argument('<month>', 'of Riyadh, YYYY-MM')
    .option('--dry-run', 'only show what would be issued; also of the current month, so far')
    .action((month: string, _: unknown, command: Command) => {
      const { json, project, dryRun = false } = command.optsWithGlobals<RunOptions>();
      return context.withPlatform(async (platform) => {
        const organization = project === undefined ? null : projectOf(platform, project).organization_id;
        const { issue } = platform.invoicing;
        const run = await issue
          .run(month, organization, dryRun, (done, total) =>
            context.progress(dryRun ? 'Calculating' : 'Issuing', done / total),
          )
          .catch((error: unknown) => explain(error, month, dryRun));
        const output = context.output(json);
        result(output, { ...run, dry_run: dryRun }, shown(run, dryRun));
        for (const { organization, organization_id, reason } of run.failed) {
          output.note(`${organization} (${organization_id}): ${reason}`);
        }
        if (run.failed.length > 0) throw new CliError(`${run.failed.length} invoices could not be issued.`);
      });
    });

  invoice
    .command('list')
    .description('list the newest invoices, of all organizations or that of --project')
    .option('--month <month>', 'of Riyadh, YYYY-MM')
    .action((_: unknown, command: Command) => {
      const { json, project, month = null } = command.optsWithGlobals<Shared & { month?: string }>();
      if (month !== null && !isMonth(month)) throw new CliError(`--month: ${NOT_A_MONTH.en}.`, EXIT.usage);
      return context.withPlatform(async (platform) => {
        const organization = project === undefined ? null : projectOf(platform, project).organization_id;
        const rows = await platform.invoicing.read.page(organization, { month, status: null }, null, LISTED);
        const listed = rows.map(({ lines: _lines, ...row }) => row);
        const columns = table(
          rows,
          {
            NUMBER: ({ number }) => number,
            MONTH: (row) => row.month,
            CUSTOMER: ({ buyer }) => buyer.name,
            TOTAL: ({ gross }) => formatSar(gross),
            DUE: ({ due }) => formatSar(due),
            STATUS: ({ status }) => status,
            CREDITED: ({ credited_net, credited_vat }) => formatSar(credited_net + credited_vat),
          },
          `There is no invoice yet: ${context.commands.hatif('invoice run <month>')}`,
        );
        result(context.output(json), listed, columns);
      });
    });

  addCreditNoteCommands(invoice, context);

  invoice
    .command('pdf')
    .description('write an invoice to a file')
    .argument('<number>', 'such as INV-2026-000001')
    .option('--out <file>', 'file to write; the number with .pdf by default')
    .action((number: string, _: unknown, command: Command) => {
      const { json, out = `${number}.pdf` } = command.optsWithGlobals<PdfOptions>();
      return context.withPlatform(async ({ invoicing: { read } }) => {
        const bytes = await read.pdfOf(number);
        await writeFile(out, bytes).catch((error: unknown) => {
          throw new CliError(`${out} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
        });
        result(context.output(json), { number, file: out, bytes: bytes.length }, `${number} is in ${out}.`);
      });
    });
}

function explain(error: unknown, month: string, dryRun: boolean): never {
  const code = refusalCode(error);
  if (!(error instanceof Error) || code === null) throw error;
  if (code === 'INVOICE_SELLER_MISSING') throw new CliError(error.message, EXIT.usage, adviceFor(code));
  if (dryRun || !isMonth(month) || !riyadhDay(new Date()).startsWith(month)) throw error;
  throw new CliError(error.message, EXIT.failed, ({ hatif }) => {
    return `What it would issue so far: ${hatif(`invoice run ${month} --dry-run`)}`;
  });
}

function shown({ month, issued, already, without, unrated_calls }: InvoiceRun, dryRun: boolean): string {
  const rows = table(
    issued,
    {
      NUMBER: ({ number }) => number,
      CUSTOMER: ({ organization }) => organization,
      NET: ({ net }) => formatSar(net),
      VAT: ({ vat }) => formatSar(vat),
      TOTAL: ({ gross }) => formatSar(gross),
      DUE: ({ due }) => formatSar(due),
    },
    'There is no invoice to issue.',
  );
  const parts = [
    `${issued.length} ${dryRun ? 'invoices would be issued' : 'invoices issued'} for ${month}`,
    `${already} issued before`,
    `${without} with nothing to pay`,
  ];
  const late = `\n${unrated_calls} calls are not rated yet; they are on the next invoice.`;
  return `${rows}\n${parts.join(', ')}.${dryRun ? ' Nothing was changed.' : ''}${unrated_calls > 0 ? late : ''}`;
}
