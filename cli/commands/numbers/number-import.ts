import type { Command } from 'commander';

import { readNumberLines } from '../../../core/model/number/import.js';
import { parseNumber } from '../../../core/model/phone-numbers.js';
import type { CliContext } from '../../common/context.js';
import { readCsv, refuseFaults } from '../../common/csv.js';
import { result } from '../../common/output.js';
import type { Shared } from '../../common/options.js';

interface ImportOptions extends Shared {
  readonly dryRun?: true;
  readonly skipInvalid?: true;
}

const COLUMNS = ['number', 'type'] as const;

/** @param numbers the commands for numbers */
export function addNumberImport(numbers: Command, context: CliContext): void {
  numbers
    .command('import')
    .description('offer numbers of your ranges to projects, from a CSV file (columns: number, or first-last, and type)')
    .argument('<file>')
    .option('--dry-run', 'only show what would be imported')
    .option('--skip-invalid', 'import the valid lines even if others are invalid')
    .action(async (file: string, _: unknown, command: Command) => {
      const { json, dryRun = false, skipInvalid = false } = command.optsWithGlobals<ImportOptions>();
      const output = context.output(json);
      const rows = await readCsv(file, COLUMNS, ['number']);
      const lines = rows.map(({ line, values }) => ({ line, number: values.number ?? '', type: values.type ?? '' }));
      const read = readNumberLines(lines);
      if (!skipInvalid) refuseFaults(file, read.faults);
      for (const { line, message } of read.faults) output.note(`line ${line}: ${message}`);
      await context.withPlatform(async ({ numbering }) => {
        const total = Math.max(1, read.numbers.length);
        const outcome = await numbering.imports.run(read.numbers, dryRun, (done) =>
          context.progress(dryRun ? 'Checking' : 'Importing', done / total),
        );
        const summary = { numbers: read.numbers.length, ...outcome, faults: read.faults, dry_run: dryRun };
        const parts = [
          `${outcome.added} ${dryRun ? 'numbers would be added' : 'numbers added'}`,
          `${outcome.known} already known`,
          `${read.faults.length} lines skipped`,
        ];
        result(output, summary, `${parts.join(', ')}.${dryRun ? ' Nothing was changed.' : ''}`);
      });
    });

  numbers
    .command('history')
    .description('show the history of a number')
    .argument('<number>', 'E.164, or Saudi national form')
    .action((number: string, _: unknown, command: Command) => {
      const output = context.output(command.optsWithGlobals<Shared>().json);
      return context.withPlatform(async ({ numbering }) => {
        // Released numbers keep their history, so any number may be asked about.
        const e164 = parseNumber(number, { allowForeign: true })?.e164 ?? number;
        const changes = await numbering.administration.history(e164);
        const shown = changes.map(
          ({ at, to_state, reason, project_id }) =>
            `${at.toISOString()}  ${to_state.padEnd(11)}  ${reason}${project_id === null ? '' : ` (project ${project_id})`}`,
        );
        result(output, changes, shown.join('\n'));
      });
    });
}
