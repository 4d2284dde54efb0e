import type { Command } from 'commander';

import { projectOf, type CliContext } from '../common/context.js';
import { result, table } from '../common/output.js';
import { readNumber, statusOf, type Shared } from '../common/options.js';

interface DeliveriesOptions extends Shared {
  readonly status?: string;
  readonly limit: string;
}

const STATUSES = ['pending', 'delivered', 'dead'] as const;

export function addWebhookCommands(program: Command, context: CliContext): void {
  const ENDPOINT = `its id, as \`${context.commands.hatif('webhooks list')}\` shows it`;
  const webhooks = program
    .command('webhooks')
    .description('list webhook endpoints and their deliveries, and send a delivery again');

  webhooks
    .command('list')
    .description('list the webhook endpoints of a project')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await platform.webhooks.list(projectOf(platform, options.project));
        const shown = table(
          rows,
          {
            ID: (row) => row.id,
            URL: (row) => row.url,
            EVENTS: (row) => row.events,
            STATUS: ({ status, disabled_reason: reason }) => (reason === null ? status : `${status} (${reason})`),
            'FAILING SINCE': (row) => row.failing_since,
            SANDBOX: (row) => row.sandbox,
          },
          'There is no webhook endpoint yet: POST /v1/webhooks',
        );
        result(context.output(options.json), rows, shown);
      });
    });

  webhooks
    .command('deliveries')
    .description('list what was sent to an endpoint, or will be, newest first')
    .argument('<endpoint>', ENDPOINT)
    .option('--status <status>', `only deliveries of this status: ${STATUSES.join(', ')}`)
    .option('--limit <number>', 'how many deliveries at most', '20')
    .action((endpoint: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<DeliveriesOptions>();
      const status = statusOf(STATUSES, options.status);
      return context.withPlatform(async (platform) => {
        const project = projectOf(platform, options.project);
        const rows = await platform.webhooks.deliveriesOf(
          project,
          endpoint,
          status,
          readNumber('--limit', options.limit),
        );
        const shown = table(
          rows,
          {
            ID: (row) => row.id,
            CREATED: (row) => row.created_at,
            EVENT: (row) => row.type,
            CALL: (row) => row.call_id,
            STATUS: (row) => row.status,
            ATTEMPTS: (row) => row.tries.length,
            'LAST ANSWER': ({ tries, last_error: error }) => error ?? tries.at(-1)?.status_code ?? null,
            NEXT: (row) => (row.status === 'pending' ? row.next_attempt_at : null),
          },
          'There is no delivery.',
        );
        result(context.output(options.json), rows, shown);
      });
    });

  webhooks
    .command('redeliver')
    .description('send a delivery again now, whatever its status')
    .argument('<endpoint>', ENDPOINT)
    .argument('<delivery>', `its id, as \`${context.commands.hatif('webhooks deliveries')}\` shows it`)
    .action((endpoint: string, delivery: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const row = await platform.webhooks.redeliver(projectOf(platform, options.project), endpoint, delivery);
        result(context.output(options.json), row, `${row.type} will be sent again within seconds.`);
      });
    });
}
