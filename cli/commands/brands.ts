import type { Command } from 'commander';

import type { BrandRow } from '../../core/data/rows.js';
import type { CliContext } from '../common/context.js';
import { result, table } from '../common/output.js';
import type { Shared } from '../common/options.js';

interface RejectOptions extends Shared {
  readonly reason?: string;
}

export function addBrandCommands(program: Command, context: CliContext): void {
  const brands = program.command('brands').description('decide about brand names that authentication calls say');

  brands
    .command('list')
    .description('list the brands of all organizations that wait for approval')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await platform.brands.waiting();
        const shown = table(
          rows,
          {
            ID: (row) => row.id,
            ENGLISH: (row) => row.name_en,
            ARABIC: (row) => row.name_ar,
            ORGANIZATION: (row) => row.organization_id,
            SUBMITTED: (row) => row.submitted_at?.toISOString() ?? '',
          },
          'No brand waits for approval.',
        );
        result(context.output(options.json), rows, shown);
      });
    });

  brands
    .command('approve')
    .description('approve a brand: calls may say its name')
    .argument('<id>')
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const row = await platform.brands.approve(id);
        result(context.output(options.json), row, `Approved: calls may say ${names(row)}.`);
      });
    });

  brands
    .command('reject')
    .description('reject a brand: calls do not say its name; it may be submitted again')
    .argument('<id>')
    .option('--reason <text>', 'reason shown to the organization')
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<RejectOptions>();
      return context.withPlatform(async (platform) => {
        const row = await platform.brands.reject(id, options.reason ?? null);
        result(context.output(options.json), row, `Rejected: ${names(row)}.`);
      });
    });
}

function names({ name_en, name_ar }: Pick<BrandRow, 'name_en' | 'name_ar'>): string {
  return `${name_en} / ${name_ar}`;
}
