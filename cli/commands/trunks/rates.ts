import type { Command } from 'commander';

import type { TrunkRate } from '../../../core/data/repositories/engines/trunk-rates.js';
import { exactSarNumber, microsFromSar } from '../../../core/model/money.js';
import type { CliContext } from '../../common/context.js';
import { readCsv, refuseFaults, type CsvFault, type CsvRow } from '../../common/csv.js';
import type { Shared } from '../../common/options.js';
import { result, table } from '../../common/output.js';

interface ImportOptions extends Shared {
  readonly dryRun?: true;
}

const COLUMNS = ['prefix', 'per_minute_sar'] as const;
const PRICE = /^\d{1,6}(\.\d{1,6})?$/;

/** @param trunks the commands for trunks */
export function addTrunkRateCommands(trunks: Command, context: CliContext): void {
  const rates = trunks
    .command('rates')
    .description('manage what the carrier of a trunk charges, for least-cost routing');

  rates
    .command('import')
    .description(`replace the rates of a trunk by those of a CSV file (columns: ${COLUMNS.join(', ')})`)
    .argument('<trunk>')
    .argument('<file>')
    .option('--dry-run', 'only check the file')
    .action(async (trunk: string, file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ImportOptions>();
      const rows = await readCsv(file, COLUMNS, COLUMNS);
      const read = rows.map(rateOf);
      refuseFaults(file, [...read.flatMap((one) => ('message' in one ? one : [])), ...repeated(rows)]);
      const valid = read.flatMap((one) => ('message' in one ? [] : one));
      const output = context.output(options.json);
      const summary = { trunk, rates: valid.length };
      if (options.dryRun) {
        result(output, { ...summary, dry_run: true }, `${file} is valid: ${valid.length} rates. Nothing was changed.`);
        return;
      }
      await context.withPlatform(async (platform) => {
        await platform.trunkRates.replace(trunk, valid);
        result(output, summary, `${trunk} has ${valid.length} rates now.`);
      });
    });

  rates
    .command('list')
    .description('list the rates of a trunk')
    .argument('<trunk>')
    .action((trunk: string, _: unknown, command: Command) => {
      const output = context.output(command.optsWithGlobals<Shared>().json);
      return context.withPlatform(async (platform) => {
        const rows = await platform.trunkRates.list(trunk);
        const shown = table(
          rows,
          { PREFIX: ({ prefix }) => `+${prefix}`, 'SAR/MIN': ({ per_minute }) => exactSarNumber(per_minute) },
          `The trunk has no rates: ${context.commands.hatif('trunks rates import <trunk> <file>')}`,
        );
        result(output, rows, shown);
      });
    });
}

/** Reads a line, or says what is wrong with it. */
function rateOf({ line, values: { prefix = '', per_minute_sar = '' } }: CsvRow): TrunkRate | CsvFault {
  const digits = prefix.replace(/^\+/, '');
  if (!/^\d{1,15}$/.test(digits))
    return { line, message: `prefix must be the start of an E.164 number, not "${prefix}"` };
  if (!PRICE.test(per_minute_sar)) return { line, message: `per_minute_sar is not a price: "${per_minute_sar}"` };
  return { prefix: digits, per_minute: microsFromSar(per_minute_sar) };
}

/** With two rates for a prefix it would be undefined which one applies. */
function repeated(rows: readonly CsvRow[]): CsvFault[] {
  const seen = new Map<string, number>();
  return rows.flatMap(({ line, values: { prefix = '' } }) => {
    const digits = prefix.replace(/^\+/, '');
    const first = seen.get(digits);
    seen.set(digits, first ?? line);
    return first === undefined ? [] : { line, message: `has the same prefix as line ${first}` };
  });
}
