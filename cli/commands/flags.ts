import { Argument, type Command } from 'commander';

import type { OrganizationRow } from '../../core/data/rows.js';
import { projectOf, type CliContext, type Platform } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { result, table } from '../common/output.js';
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
        show(platform, await platform.organizations.get(organization_id), options.json);
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
        if (!Object.hasOwn(platform.flags, flag)) {
          throw new CliError(
            `There is no flag ${flag}.`,
            EXIT.usage,
            `Flags: ${Object.keys(platform.flags).join(', ')}`,
          );
        }
        const { organization_id } = projectOf(platform, options.project);
        show(platform, await platform.organizations.setFlag(organization_id, flag, STATES[state]), options.json);
      });
    });

  function show(platform: Platform, organization: OrganizationRow | null, json: boolean): void {
    const own: Readonly<Record<string, boolean>> = organization?.flags ?? {};
    const rows = Object.entries(platform.flags).map(([flag, environment]) => ({
      flag,
      on: own[flag] ?? environment,
      organization: own[flag] ?? null,
      environment,
    }));
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
