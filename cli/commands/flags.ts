import { Argument, type Command } from 'commander';

import type { Feature } from '../../core/model/flags.js';
import { projectOf, type CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { plain, result, table } from '../common/output.js';
import type { Shared } from '../common/options.js';

const STATES = { on: true, off: false, default: null } as const;

export function addFlagCommands(program: Command, context: CliContext): void {
  const flags = program.command('flags').description('turn features of an organization on or off');

  flags
    .command('list')
    .description('list the features, and whether they are on')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const { organization_id } = projectOf(platform, options.project);
        show(await platform.features.list(organization_id), options.json);
      });
    });

  flags
    .command('set')
    .description('turn a feature on or off for the organization, within seconds; default: as in the environment')
    .argument('<flag>')
    .addArgument(new Argument('<state>').choices(Object.keys(STATES)))
    .action((flag: string, state: keyof typeof STATES, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const { organization_id } = projectOf(platform, options.project);
        const known = (await platform.features.list(organization_id)).map((feature) => feature.flag);
        if (!known.includes(flag)) {
          throw new CliError(`There is no flag ${plain(flag)}.`, EXIT.usage, `Flags: ${known.join(', ')}`);
        }
        show(await platform.features.set(organization_id, flag, STATES[state]), options.json);
      });
    });

  function show(rows: readonly Feature[], json: boolean): void {
    const word = (on: boolean | null): string => (on === null ? '' : on ? 'on' : 'off');
    const shown = table(
      rows,
      {
        FLAG: (row) => row.flag,
        IS: (row) => word(row.on),
        ORGANIZATION: (row) => word(row.organization),
        ENVIRONMENT: (row) => word(row.environment),
      },
      'There are no flags.',
    );
    result(context.output(json), rows, shown);
  }
}
