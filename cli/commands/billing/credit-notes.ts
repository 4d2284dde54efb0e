import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { formatSar } from '../../../core/model/money.js';
import { paymentOf } from '../../common/amount.js';
import { projectOf, type CliContext } from '../../common/context.js';
import { CliError, EXIT } from '../../common/failure.js';
import type { Shared } from '../../common/options.js';
import { result, table } from '../../common/output.js';

interface CreditOptions extends Shared {
  readonly reference: string;
  readonly reason: string;
  readonly line?: string;
  readonly amount?: string;
}

/** Maximum number of listed credit notes. */
const LISTED = 1_000;

/** Adds the commands for credit notes to the command `invoice`. */
export function addCreditNoteCommands(invoice: Command, context: CliContext): void {
  invoice
    .command('credit')
    .description('issue a credit note: for all of an invoice that is not credited yet, or for a part of it')
    .argument('<number>', 'of the invoice, such as INV-2026-000001')
    .requiredOption('--reason <text>', 'printed on the credit note')
    .requiredOption('--reference <text>', 'your own reference; each one credits the invoice once')
    .option('--line <position>', 'credit only this line of the invoice, from 1')
    .option('--amount <sar>', 'credit only this amount, without VAT')
    .action((number: string, _: unknown, command: Command) => {
      const { json, reason, reference, ...part } = command.optsWithGlobals<CreditOptions>();
      if (part.line !== undefined && !/^[1-9]\d{0,5}$/.test(part.line)) {
        throw new CliError(`${part.line} is not the position of a line.`, EXIT.usage);
      }
      for (const [name, text] of Object.entries({ reason, reference })) {
        if (text.trim() === '' || text.length > 250)
          throw new CliError(`--${name} must be 1 to 250 characters.`, EXIT.usage);
      }
      const line = part.line === undefined ? null : Number(part.line);
      const amount = part.amount === undefined ? null : paymentOf(part.amount);
      return context.withPlatform(async ({ invoicing: { credit } }) => {
        const { note, isNew } = await credit.issue({ invoice: number, line, amount, reason, reference });
        const said = isNew
          ? `${note.number} credits ${formatSar(note.gross)} SAR of ${number}, ${formatSar(note.vat)} of it VAT.`
          : `${reference} was credited already, by ${note.number}.`;
        result(context.output(json), { issued: isNew, credit_note: note }, said);
      });
    });

  invoice
    .command('credits')
    .description('list the newest credit notes, of all organizations or that of --project')
    .action((_: unknown, command: Command) => {
      const { json, project } = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const organization = project === undefined ? null : projectOf(platform, project).organization_id;
        const rows = await platform.invoicing.readCredits.page(organization, null, null, LISTED);
        const columns = table(
          rows,
          {
            NUMBER: ({ number }) => number,
            INVOICE: ({ invoice_number }) => invoice_number,
            CUSTOMER: ({ buyer }) => buyer.name,
            TOTAL: ({ gross }) => formatSar(gross),
            REASON: ({ reason }) => reason,
          },
          'There is no credit note.',
        );
        result(context.output(json), rows, columns);
      });
    });

  invoice
    .command('credit-pdf')
    .description('write a credit note to a file')
    .argument('<number>', 'such as CN-2026-000001')
    .option('--out <file>', 'file to write; the number with .pdf by default')
    .action((number: string, _: unknown, command: Command) => {
      const { json, out = `${number}.pdf` } = command.optsWithGlobals<Shared & { out?: string }>();
      return context.withPlatform(async ({ invoicing: { readCredits } }) => {
        const bytes = await readCredits.pdfOf(number);
        await writeFile(out, bytes).catch((error: unknown) => {
          throw new CliError(`${out} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
        });
        result(context.output(json), { number, file: out, bytes: bytes.length }, `${number} is in ${out}.`);
      });
    });
}
