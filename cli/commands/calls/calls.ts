import type { Command } from 'commander';

import { CALL_STATUSES } from '../../../core/model/call/call.js';
import type { CallObject } from '../../../core/model/objects/call.js';
import { projectOf, type CliContext } from '../../common/context.js';
import { fields, result, table } from '../../common/output.js';
import { readNumber, statusOf, type Shared } from '../../common/options.js';
import { timelineLine } from '../../common/timeline.js';

interface ListOptions extends Shared {
  readonly live?: true;
  readonly status?: string;
  readonly limit: string;
}

export function addCallsCommands(program: Command, context: CliContext): void {
  const ID = `its id, as \`${context.commands.hatif('calls list')}\` shows it`;
  const calls = program.command('calls').description('list and show calls, and end live ones');

  calls
    .command('list')
    .description('list the calls of a project, newest first')
    .option('--live', 'only calls that have not ended')
    .option('--status <status>', `only calls of this status: ${CALL_STATUSES.join(', ')}`)
    .option('--limit <number>', 'how many calls at most', '20')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>();
      const status = statusOf(CALL_STATUSES, options.status);
      return context.withPlatform(async (platform) => {
        const filter = { live: options.live, ...(status !== null && { status }) };
        const rows = await platform.calls.list(
          projectOf(platform, options.project),
          filter,
          readNumber('--limit', options.limit),
        );
        const shown = table(
          rows,
          {
            ID: (call) => call.call_id,
            STARTED: (call) => new Date(call.created_at),
            DIRECTION: (call) => call.direction,
            STATUS: (call) => call.status,
            CUSTOMER: (call) => call.customer_number_masked,
            LINE: (call) => call.line_number,
            AGENT: (call) => call.agent,
            SECONDS: (call) => call.duration_seconds,
          },
          options.live === true ? 'No call is live.' : 'There is no call.',
        );
        result(context.output(options.json), rows, shown);
      });
    });

  calls
    .command('show')
    .description('show a call')
    .argument('<id>', ID)
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const call = await platform.calls.get(projectOf(platform, options.project), id);
        result(context.output(options.json), call, details(call));
      });
    });

  calls
    .command('timeline')
    .description('show everything that happened in a call, oldest first')
    .argument('<id>', ID)
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const entries = await platform.calls.timeline(projectOf(platform, options.project), id);
        const shown = entries.map((entry) => timelineLine(entry, entry.at)).join('\n');
        result(context.output(options.json), entries, shown === '' ? 'Its timeline was deleted.' : shown);
      });
    });

  calls
    .command('hangup')
    .description('end a live call')
    .argument('<id>', ID)
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const ended = await platform.calls.hangup(projectOf(platform, options.project), id);
        result(context.output(options.json), ended, `The engine ends the call ${ended.call_id}.`);
      });
    });
}

function details(call: CallObject): string {
  const { hangup_cause: cause } = call;
  return fields({
    id: call.call_id,
    kind: call.kind,
    direction: call.direction,
    status: call.status,
    outcome: call.disposition,
    customer: call.customer_number_masked,
    line: call.line_number,
    agent: call.agent,
    queue: call.queue_id,
    'call flow': call.callflow_id,
    conference: call.conference_id,
    sandbox: call.sandbox,
    legs: call.legs.map(({ leg, status }) => `${leg} ${status}`),
    'on hold': call.on_hold,
    recorded: call.recording || call.recording_available,
    started: date(call.created_at),
    answered: date(call.answered_at),
    ended: date(call.ended_at),
    seconds: call.duration_seconds,
    cause: cause === null ? null : `${cause.q850} ${cause.text}`,
  });
}

function date(iso: string | null): Date | null {
  return iso === null ? null : new Date(iso);
}
