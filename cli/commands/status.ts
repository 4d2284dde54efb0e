import type { Command } from 'commander';

import { DatabaseUnavailable } from '../../core/data/errors.js';
import { PARTS, type InstallationStatus, type PartState } from '../../core/services/overview/status.js';
import type { CliContext, Platform } from '../common/context.js';
import { CliError, IS_IT_RUNNING } from '../common/failure.js';
import { fields, result, table } from '../common/output.js';
import type { Shared } from '../common/options.js';

/** The status if the database does not answer. */
const NOT_READ: Pick<InstallationStatus, 'parts'> = {
  parts: {
    database: 'down',
    redis: 'unknown',
    engines: 'unknown',
    sip: 'unknown',
    jobs: 'unknown',
    certificate: 'unknown',
  },
};

export function addStatusCommand(program: Command, context: CliContext): void {
  program
    .command('status')
    .description('show what runs, what happens now and what was refused last; exit code 1 if a part is down')
    .action(async (_: unknown, command: Command) => {
      const { json } = command.optsWithGlobals<Shared>();
      const output = context.output(json);
      const parts = await context
        .withPlatform(async (platform) => {
          const status = await platform.status.read();
          result(output, status, show(status, platform));
          return status.parts;
        })
        .catch((error: unknown) => {
          if (!(error instanceof DatabaseUnavailable)) throw error;
          result(output, NOT_READ, fields(NOT_READ.parts));
          return NOT_READ.parts;
        });
      const down = PARTS.filter((part) => parts[part] === ('down' satisfies PartState));
      if (down.length > 0) throw new CliError(`Down: ${down.join(', ')}.`, undefined, IS_IT_RUNNING);
    });
}

function show(status: InstallationStatus, { projects }: Platform): string {
  const { parts, engines, trunks, phones, queues, refused, webhooks } = status;
  const nameOf = (id: string): string => projects.find((project) => project.id === id)?.name ?? id;
  const { pending, oldest_due_seconds: waits, troubled } = webhooks;
  return [
    fields({ ...parts, 'calls now': status.live_calls, phones: `${phones.registered} of ${phones.total} registered` }),
    table(
      engines,
      {
        ENGINE: (row) => row.name,
        KIND: (row) => row.kind,
        VERSION: (row) => row.version,
        STATE: (row) => row.state,
        CALLS: (row) => row.live_calls,
      },
      'There is no engine.',
    ),
    table(
      trunks,
      { TRUNK: (row) => row.name, STATE: (row) => row.state.replace('_', ' '), DEFAULT: (row) => row.is_default },
      'There is no trunk.',
    ),
    table(
      phones.first,
      {
        'REGISTERED PHONE': (row) => row.agent,
        NAME: (row) => row.name,
        PROJECT: (row) => row.project,
        NUMBER: (row) => row.number,
      },
      'No phone is registered.',
    ),
    table(
      queues,
      {
        QUEUE: (row) => row.queue,
        PROJECT: (row) => nameOf(row.project_id),
        WAITING: (row) => row.waiting,
        LONGEST: (row) => `${row.longest_wait_seconds} s`,
        AVAILABLE: (row) => row.available,
        'LOGGED IN': (row) => row.logged_in,
      },
      'There is no queue.',
    ),
    table(
      refused,
      {
        'LAST REFUSED': (row) => row.last_at,
        CALLS: (row) => row.calls,
        DIALLED: (row) => row.dialled ?? '(others)',
        FROM: ({ source, source_name: name }) => (name === null ? source : `${source} ${name}`),
        REASON: (row) => row.reason,
      },
      'No call was refused in the last 24 hours.',
    ),
    pending === 0 ? 'No webhook waits.' : `${pending} webhooks wait; the oldest one has been due for ${waits} s.`,
    ...(troubled.length === 0
      ? []
      : [
          table(
            troubled,
            {
              'FAILING WEBHOOK': (row) => row.id,
              PROJECT: (row) => row.project,
              SINCE: (row) => row.failing_since,
              DISABLED: (row) => row.disabled_reason ?? 'no',
            },
            '',
          ),
        ]),
  ].join('\n\n');
}
