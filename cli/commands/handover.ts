import type { Command } from 'commander';

import type { CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { result } from '../common/output.js';
import type { Shared } from '../common/options.js';

export function addHandoverCommand(program: Command, context: CliContext): void {
  program
    .command('handover')
    .description(
      'end the platform on this machine but none of its calls: they go on and the next start takes them over',
    )
    .action(async (_: unknown, command: Command) => {
      const { json } = command.optsWithGlobals<Shared>();
      const ended = await context.handover();
      if (ended === 0) throw new CliError('No process of this machine owns an engine.', EXIT.unreachable);
      result(
        context.output(json),
        { ended },
        'Ended. PostgreSQL, Redis, Asterisk and the live calls go on; start the new version now: npm start',
      );
    });
}
