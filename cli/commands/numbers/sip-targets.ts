import type { Command } from 'commander';

import type { CliContext } from '../../common/context.js';
import { CliError } from '../../common/failure.js';
import type { Shared } from '../../common/options.js';
import { plain, result, table } from '../../common/output.js';

export function addSipTargetCommands(program: Command, context: CliContext): void {
  const targets = program.command('sip-targets').description('allow hosts that calls to SIP addresses may reach');

  targets
    .command('add')
    .description('allow a host, on every port or on one; it must be neither private nor a trunk or an engine')
    .argument('<host>', 'host or host:port')
    .action((host: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const row = await platform.sipTargets.add(host);
        result(context.output(options.json), row, `Calls to SIP addresses at ${plain(row.address)} are allowed.`);
      });
    });

  targets
    .command('list')
    .description('list the allowed hosts')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await platform.sipTargets.list();
        const shown = table(
          rows,
          { HOST: (row) => row.address },
          `No SIP address may be called: ${context.commands.hatif('sip-targets add <host>')}`,
        );
        result(context.output(options.json), rows, shown);
      });
    });

  targets
    .command('remove')
    .description('allow a host no longer; its live calls continue')
    .argument('<host>')
    .action((host: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        if (!(await platform.sipTargets.remove(host))) throw new CliError(`${plain(host)} was not allowed.`);
        result(context.output(options.json), { host, removed: true }, `Removed ${plain(host)}.`);
      });
    });
}
