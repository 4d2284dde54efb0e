import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished, pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { parseTime } from '../../../core/model/time.js';
import type { CdrExportOptions } from '../../../core/services/cdr/export.js';
import { projectOf, type CliContext } from '../../common/context.js';
import { countingRecords } from '../../common/csv.js';
import { CliError, EXIT } from '../../common/failure.js';
import { result } from '../../common/output.js';
import type { Shared } from '../../common/options.js';

interface ExportOptions extends Shared {
  readonly from: string;
  readonly to: string;
  readonly out?: string;
  readonly unmasked?: true;
}

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function addCdrCommands(program: Command, context: CliContext): void {
  const cdr = program.command('cdr').description('export call detail records');

  cdr
    .command('export')
    .description('export the ended calls of a project with their costs as CSV')
    .requiredOption('--from <time>', 'a day of Riyadh (YYYY-MM-DD), or ISO 8601 with an offset; included')
    .requiredOption('--to <time>', 'as --from; included')
    .option('--out <file>', 'file to write, complete or not at all; standard output by default')
    .option('--unmasked', 'add a column with customers’ full numbers; the audit log records the export')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<ExportOptions>();
      const [from, before] = [timeOf('--from', options.from), endOf(options.to)];
      if (from >= before) throw new CliError('--from is later than --to.', EXIT.usage);
      return context.withPlatform(async (platform) => {
        const project = projectOf(platform, options.project);
        const onPage: CdrExportOptions['onPage'] = (page) => {
          const last = page.at(-1)?.created_at.getTime() ?? from.getTime();
          const done = (last - from.getTime()) / (before.getTime() - from.getTime());
          context.progress('Exporting', Math.min(0.99, done));
        };
        const csv = platform.cdr.csv(project, { from, before }, { unmasked: options.unmasked ?? false, onPage });
        if (options.out === undefined) {
          for await (const chunk of csv) context.output(false).out(chunk.replace(/\n$/, ''));
          return;
        }
        let records = 0;
        await writeAtomically(
          options.out,
          countingRecords(csv, (count) => (records += count)),
        );
        // The first record has the names of the columns.
        const calls = Math.max(0, records - 1);
        context.progress(`${calls} calls`, 1);
        const summary = { project_id: project.id, from: from.toISOString(), calls, file: options.out };
        result(context.output(options.json), summary, `${calls} calls of ${project.name} are in ${options.out}.`);
      });
    });
}

/** @throws CliError */
function timeOf(option: string, text: string): Date {
  const time = DAY.test(text) ? parseTime(`${text}T00:00:00+03:00`) : parseTime(text);
  if (!time) throw new CliError(`${option} ${text} is neither a day nor a time.`, EXIT.usage);
  return time;
}

/** The first moment after a day, or after a time's millisecond. */
function endOf(text: string): Date {
  return new Date(timeOf('--to', text).getTime() + (DAY.test(text) ? DAY_MS : 1));
}

async function writeAtomically(file: string, csv: AsyncIterable<string>): Promise<void> {
  const part = `${file}.part`;
  const stream = createWriteStream(part, { mode: 0o600 });
  try {
    await pipeline(csv, stream);
    await rename(part, file);
  } catch (error) {
    await finished(stream).catch(() => undefined);
    await rm(part, { force: true });
    if (error instanceof Error && 'code' in error && 'syscall' in error) {
      throw new CliError(`${file} cannot be written: ${error.message}`);
    }
    throw error;
  }
}
