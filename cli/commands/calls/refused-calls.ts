import type { Command } from 'commander';

import type { CliContext } from '../../common/context.js';
import { result, table } from '../../common/output.js';
import { readNumber, type Shared } from '../../common/options.js';

interface RefusedOptions extends Shared {
  readonly hours: string;
  readonly limit: string;
}

/** Adds `calls refused`, to the group `calls` if there is one already. */
export function addRefusedCallsCommand(program: Command, context: CliContext): void {
  const calls =
    program.commands.find((command) => command.name() === 'calls') ?? program.command('calls').description('calls');

  calls
    .command('refused')
    .description('list incoming calls that were refused, such as calls to numbers that nobody has')
    .option('--hours <number>', 'of the last hours', '24')
    .option('--limit <number>', 'how many entries at most', '50')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<RefusedOptions>();
      return context.withPlatform(async (platform) => {
        const [hours, limit] = [readNumber('--hours', options.hours), readNumber('--limit', options.limit)];
        const rows = await platform.refusedCalls.list(hours, limit);
        const shown = table(
          rows,
          {
            LAST: (row) => row.last_at,
            CALLS: (row) => row.calls,
            DIALLED: (row) => row.dialled ?? '(others)',
            FROM: ({ source, source_name: name }) => (name === null ? source : `${source} ${name}`),
            CALLER: (row) => row.caller_masked,
            REASON: (row) => row.reason,
          },
          `No call was refused in the last ${options.hours} hours.`,
        );
        result(context.output(options.json), rows, shown);
      });
    });
}
