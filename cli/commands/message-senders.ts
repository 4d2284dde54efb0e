import type { Command } from 'commander';

import type { CliContext } from '../common/context.js';
import type { Shared } from '../common/options.js';
import { result, table } from '../common/output.js';

interface RejectOptions extends Shared {
  readonly reason?: string;
}

export function addSenderCommands(program: Command, context: CliContext): void {
  const senders = program
    .command('senders')
    .description('decide about the names under which organizations send messages');

  senders
    .command('list')
    .description('list the senders of all organizations that wait for approval')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await platform.messageSenders.waiting();
        const shown = table(
          rows,
          {
            ID: (row) => row.id,
            CHANNEL: (row) => row.channel,
            SENDER: (row) => row.sender,
            ORGANIZATION: (row) => row.organization_id,
            CREATED: (row) => row.created_at.toISOString(),
          },
          'No sender waits for approval.',
        );
        result(context.output(options.json), rows, shown);
      });
    });

  senders
    .command('approve')
    .description('approve a sender that the carriers have registered: messages may be sent under it')
    .argument('<id>')
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const row = await platform.messageSenders.approve(id);
        result(context.output(options.json), row, `Approved: messages may be sent as ${row.sender}.`);
      });
    });

  senders
    .command('reject')
    .description('reject a sender, or take back its approval')
    .argument('<id>')
    .option('--reason <text>', 'reason shown to the organization')
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<RejectOptions>();
      return context.withPlatform(async (platform) => {
        const row = await platform.messageSenders.reject(id, options.reason ?? null);
        result(context.output(options.json), row, `Rejected: ${row.sender}.`);
      });
    });
}
