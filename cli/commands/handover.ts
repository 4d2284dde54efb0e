import type { Command } from 'commander';

import type { CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { result } from '../common/output.js';
import type { Shared } from '../common/options.js';

export function addHandoverCommand(program: Command, context: CliContext): void {
  program
    .command('handover')
    .description('stop the platform on this machine without ending its calls: the next start takes them over')
    .action(async (_: unknown, command: Command) => {
      const { json } = command.optsWithGlobals<Shared>();
      const ended = await context.handover();
      if (ended === 0) throw new CliError('No process on this machine owns an engine.', EXIT.unreachable);
      result(
        context.output(json),
        { ended },
        `Stopped. PostgreSQL, Redis, Asterisk and the live calls continue; start the new version now, with the settings of the old one: ${context.commands.start()}`,
      );
    });
}
