import type { Command } from 'commander';

import type { QueueRow } from '../../core/data/rows.js';
import type { QueueStatsObject } from '../../core/services/queues/read.js';
import { projectOf, type CliContext } from '../common/context.js';
import { destinationNames } from '../common/destinations.js';
import { CliError } from '../common/failure.js';
import { fields, plain, result, table } from '../common/output.js';
import type { Shared } from '../common/options.js';

/** All the time that is kept. */
const ALWAYS = { from: null, to: null };

export function addQueueCommands(program: Command, context: CliContext): void {
  const queues = program.command('queues').description('show queues, their waiting callers and their agents');

  queues
    .command('list')
    .description('list the queues of a project, with who waits and who is available')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const { id } = projectOf(platform, options.project);
        const rows = await Promise.all(
          (await platform.queues.list(id)).map(async (queue) => ({
            ...queue,
            stats: await platform.queues.stats({ projectId: id }, queue.id, ALWAYS),
          })),
        );
        const shown = table(
          rows,
          {
            NAME: (row) => row.name,
            CODE: (row) => row.dial_code,
            STRATEGY: (row) => row.strategy,
            WAITING: ({ stats }) => stats.waiting,
            LONGEST: ({ stats }) => `${stats.longest_wait} s`,
            AVAILABLE: ({ stats }) => stats.agents.idle,
            'LOGGED IN': ({ stats }) => loggedIn(stats),
            ANSWERED: ({ stats }) => `${stats.answered} of ${stats.offered}`,
          },
          'There is no queue yet: POST /v1/queues',
        );
        result(context.output(options.json), rows, shown);
      });
    });

  queues
    .command('show')
    .description('show a queue, its agents and its waiting callers')
    .argument('<queue>', 'its name or id')
    .action((wanted: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const { id: projectId } = projectOf(platform, options.project);
        const { queues: services } = platform;
        const all = await services.list(projectId);
        const queue = all.find(({ id, name }) => name === wanted || id === wanted.toLowerCase());
        if (!queue) {
          const names = all.map(({ name }) => plain(name)).join(', ');
          throw new CliError(`There is no queue ${plain(wanted)}.`, undefined, `Queues: ${names || 'none'}`);
        }
        const where = await destinationNames(platform, projectId);
        const [stats, agents, callers] = await Promise.all([
          services.stats({ projectId }, queue.id, ALWAYS),
          services.members(projectId, queue.id),
          services.waiting({ projectId }, queue.id),
        ]);
        const shown = [
          settings(queue, stats, where(queue.overflow)),
          table(
            agents,
            {
              AGENT: (row) => row.agent,
              STATUS: ({ status, pause_reason: reason }) => (reason === null ? status : `${status} (${reason})`),
              STATE: (row) => row.state,
              REGISTERED: (row) => row.registered,
              CALLS: (row) => row.calls_taken,
            },
            'No agent is or was logged in.',
          ),
          table(
            callers,
            {
              POSITION: (row) => row.position,
              CALL: (row) => row.call_id,
              CUSTOMER: (row) => row.customer_number_masked,
              WAITS: (row) => `${row.waited_seconds} s`,
              RINGS: (row) => row.agents,
            },
            'Nobody waits.',
          ),
        ].join('\n\n');
        result(context.output(options.json), { ...queue, stats, agents, callers }, shown);
      });
    });
}

function settings(queue: QueueRow, stats: QueueStatsObject, overflow: string): string {
  const { agents } = stats;
  return fields({
    name: queue.name,
    id: queue.id,
    code: queue.dial_code,
    strategy: queue.strategy,
    'rings for': `${queue.ring_timeout_seconds} s`,
    'longest wait': `${queue.max_wait_seconds} s`,
    'then to': overflow,
    waiting: stats.waiting,
    available: agents.idle,
    'logged in': loggedIn(stats),
    offered: stats.offered,
    answered: stats.answered,
    abandoned: stats.abandoned,
    'service level': stats.service_level === null ? null : `${stats.service_level}%`,
  });
}

function loggedIn({ agents }: QueueStatsObject): number {
  return Object.values(agents).reduce((sum, count) => sum + count, 0);
}
