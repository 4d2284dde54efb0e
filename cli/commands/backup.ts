import type { Command } from 'commander';

import type { CliContext } from '../common/context.js';
import { plain, result } from '../common/output.js';
import type { Shared } from '../common/options.js';

const MIB = 1024 * 1024;

export function addBackupCommands(program: Command, context: CliContext): void {
  program
    .command('backup')
    .description('write database, recordings, audio and secret into one file, also while calls go on')
    .argument('<file>', 'the archive to write, for example hatif-2027-01-31.tar.gz')
    .option('--force', 'also over a file that is there', false)
    .action(async (file: string, _: unknown, command: Command) => {
      const { json, force } = command.optsWithGlobals<Shared & { readonly force: boolean }>();
      const summary = await context.backup(file, force, context.progress);
      const output = context.output(json);
      const { bytes, tables, files, missing_files: missing, secret } = summary;
      const size = `${(bytes / MIB).toFixed(1)} MiB`;
      result(output, summary, `Wrote ${plain(file)}: ${rowsOf(tables)}, ${files} files, ${size}.`);
      if (missing > 0) output.note(`${missing} files that rows speak of are not there.`);
      output.note(
        secret === 'file'
          ? 'It holds the installation’s secret, keys and customers’ numbers: keep it as safe as the installation itself.'
          : 'It does not hold HATIF_SECRET: without that secret what is sealed in it cannot be opened. Keep both.',
      );
    });

  program
    .command('restore')
    .description('put a backup in place of this installation, which must not be running')
    .argument('<file>', 'what `hatif backup` wrote')
    .option('--replace', 'also where there is data: it is gone then', false)
    .action(async (file: string, _: unknown, command: Command) => {
      const { json, replace } = command.optsWithGlobals<Shared & { readonly replace: boolean }>();
      const summary = await context.restore(file, replace, context.progress);
      const { tables, files, migrated, created_at: made, hatif } = summary;
      const since = migrated.length > 0 ? ` Brought up to date: ${migrated.join(', ')}.` : '';
      result(
        context.output(json),
        summary,
        `Restored ${rowsOf(tables)} and ${files} files as they were at ${made} (Hatif ${plain(hatif)}).${since} Start it: npm start`,
      );
    });
}

function rowsOf(tables: Readonly<Record<string, number>>): string {
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  return `${rows} rows of ${Object.keys(tables).length} tables`;
}
