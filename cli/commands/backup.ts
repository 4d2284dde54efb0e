import type { Command } from 'commander';

import type { CliContext } from '../common/context.js';
import { plain, result } from '../common/output.js';
import type { Shared } from '../common/options.js';

const MIB = 1024 * 1024;

export function addBackupCommands(program: Command, context: CliContext): void {
  program
    .command('backup')
    .description('back up database, recordings, audio and secret to one file, also while the platform runs')
    .argument('<file>', 'archive to write, for example hatif-2027-01-31.tar.gz')
    .option('--force', 'overwrite an existing file', false)
    .action(async (file: string, _: unknown, command: Command) => {
      const { json, force } = command.optsWithGlobals<Shared & { readonly force: boolean }>();
      const summary = await context.backup(file, force, context.progress);
      const output = context.output(json);
      const { bytes, tables, files, missing_files: missing, secret } = summary;
      const size = `${(bytes / MIB).toFixed(1)} MiB`;
      result(output, summary, `Wrote ${plain(file)}: ${rowsOf(tables)}, ${files} files, ${size}.`);
      if (missing > 0) output.note(`${missing} files that the database names are missing.`);
      output.note(
        secret === 'file'
          ? 'It holds the installation’s secret, keys and customers’ numbers: protect it like the installation itself.'
          : 'It does not hold HATIF_SECRET, without which its encrypted data cannot be read. Keep both.',
      );
    });

  program
    .command('restore')
    .description('replace this installation with a backup; the platform must be stopped')
    .argument('<file>', `archive of \`${context.commands.hatif('backup')}\``)
    .option('--replace', 'overwrite existing data', false)
    .action(async (file: string, _: unknown, command: Command) => {
      const { json, replace } = command.optsWithGlobals<Shared & { readonly replace: boolean }>();
      const summary = await context.restore(file, replace, context.progress);
      const { tables, files, migrated, created_at: made, hatif } = summary;
      const since = migrated.length > 0 ? ` Migrations applied: ${migrated.join(', ')}.` : '';
      result(
        context.output(json),
        summary,
        `Restored ${rowsOf(tables)} and ${files} files of ${made} (Hatif ${plain(hatif)}).${since} Start it: ${context.commands.start()}`,
      );
    });
}

function rowsOf(tables: Readonly<Record<string, number>>): string {
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  return `${rows} rows of ${Object.keys(tables).length} tables`;
}
