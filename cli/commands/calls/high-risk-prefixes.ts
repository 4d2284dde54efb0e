import type { Command } from 'commander';

import { MAX_PREFIX_NOTE } from '../../../core/services/dialling/high-risk-prefixes.js';
import type { CliContext } from '../../common/context.js';
import { CliError, EXIT } from '../../common/failure.js';
import type { Shared } from '../../common/options.js';
import { plain, result, table } from '../../common/output.js';

interface AddOptions extends Shared {
  readonly note?: string;
}

/** Adds the commands for prefixes whose numbers count as premium. */
export function addPrefixCommands(fraud: Command, context: CliContext): void {
  const prefixes = fraud
    .command('prefixes')
    .description('numbers of high-risk prefixes count as premium: for the whole installation');

  prefixes
    .command('list')
    .description('list the prefixes')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await platform.highRiskPrefixes.list();
        const shown = table(
          rows,
          { PREFIX: (row) => row.prefix, NOTE: (row) => row.note, SINCE: (row) => row.created_at },
          `There is no high-risk prefix: ${context.commands.hatif('fraud prefixes add <prefix>')}`,
        );
        result(context.output(options.json), rows, shown);
      });
    });

  prefixes
    .command('add')
    .description('let the numbers of a prefix count as premium; live calls continue')
    .argument('<prefix>', 'at least two digits in E.164: +252')
    .option('--note <text>', `a note of at most ${MAX_PREFIX_NOTE} characters`)
    .action((prefix: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const note = options.note?.trim() ?? '';
      if (note.length > MAX_PREFIX_NOTE) {
        throw new CliError(`--note: must have at most ${MAX_PREFIX_NOTE} characters.`, EXIT.usage);
      }
      return context.withPlatform(async (platform) => {
        const row = await platform.highRiskPrefixes.add(prefix, note === '' ? null : note);
        result(context.output(options.json), row, `Numbers that begin with ${plain(row.prefix)} count as premium.`);
      });
    });

  prefixes
    .command('remove')
    .description('remove a prefix')
    .argument('<prefix>')
    .action((prefix: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        await platform.highRiskPrefixes.remove(prefix);
        result(context.output(options.json), { prefix, removed: true }, `Removed ${plain(prefix)}.`);
      });
    });
}
