import { Option, type Command } from 'commander';

import type { AgentView, AgentWithPassword } from '../../core/services/agents/agents.js';
import { CLASSES_HELP, CLASSES_OPTION, readClasses } from '../common/destination-classes.js';
import { projectOf, type CliContext } from '../common/context.js';
import { cell, fields, result, table } from '../common/output.js';
import type { Shared } from '../common/options.js';
import { addForwardCommand } from './agent-forwarding.js';

interface OutboundOptions extends Shared {
  readonly allow?: boolean;
  readonly deny?: boolean;
  readonly callerId?: string;
  readonly destinationClasses?: string;
}

interface SetOptions extends Shared {
  readonly record: 'on' | 'off';
}

interface AddOptions extends Shared {
  readonly name?: string;
}

export function addAgentCommands(program: Command, context: CliContext): void {
  const agents = program.command('agents').description('add, list, change and remove agents and their softphones');

  agents
    .command('add')
    .description('add an agent and show the softphone’s password once')
    .argument('<extension>', '2 to 32 letters, digits, dots, dashes or underscores')
    .option('--name <name>', 'name that phones show')
    .action((extension: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      return context.withPlatform(async (platform) => {
        const made = await platform.agents.add(projectOf(platform, options.project), extension, options.name);
        show(context, options.json, made);
      });
    });

  agents
    .command('list')
    .description('list the agents of a project, and where their phones are registered')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const { id } = projectOf(platform, options.project);
        const [agents, places] = await Promise.all([platform.agents.list(id), platform.registrations.ofProject(id)]);
        const rows = agents.map((agent) => ({
          ...agent,
          registrations: places
            .filter(({ aor }) => aor === agent.aor)
            .map(({ engine, since }) => ({ engine, registered_at: since })),
        }));
        const shown = table(
          rows,
          {
            AGENT: (row) => row.agent,
            NAME: (row) => row.display_name,
            'SIP USER': (row) => row.aor,
            REGISTERED: ({ registrations }) => registrations.map(place).join('; ') || 'no',
            'CALLS OUT': (row) => callsOut(row),
            CLASSES: (row) => row.destination_classes.join(', '),
            RECORDED: (row) => row.record_calls,
          },
          `There is no agent yet: ${context.commands.hatif('agents add <extension>')}`,
        );
        result(context.output(options.json), rows, shown);
      });
    });

  agents
    .command('outbound')
    .description('allow or deny an agent outside calls, and set the caller id')
    .argument('<extension>')
    .addOption(new Option('--allow', 'allow outside calls').conflicts('deny'))
    .option('--deny', 'deny outside calls, except to emergency numbers')
    .option(CLASSES_OPTION, CLASSES_HELP)
    .option('--caller-id <number>', 'one of the project’s numbers')
    .action((extension: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<OutboundOptions>();
      const change = {
        ...(options.allow === true ? { may_call_out: true } : {}),
        ...(options.deny === true ? { may_call_out: false } : {}),
        ...(options.destinationClasses === undefined
          ? {}
          : { destination_classes: readClasses(options.destinationClasses) }),
        ...(options.callerId === undefined ? {} : { caller_id_number: options.callerId }),
      };
      if (Object.keys(change).length === 0)
        command.error('Give --allow, --deny, --destination-classes or --caller-id.');
      return context.withPlatform(async (platform) => {
        const changed = await platform.agents.setCallingOut(projectOf(platform, options.project), extension, change);
        const shown = fields({
          agent: extension,
          ...changed,
          ...(changed.destination_classes && { destination_classes: changed.destination_classes.join(', ') }),
        });
        result(context.output(options.json), { agent: extension, ...changed }, shown);
      });
    });

  agents
    .command('set')
    .description('change settings of an agent')
    .argument('<extension>')
    .addOption(
      new Option('--record <on|off>', 'record every call of the agent once it is answered')
        .choices(['on', 'off'])
        .makeOptionMandatory(),
    )
    .action((extension: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<SetOptions>();
      const change = { agent: extension, record_calls: options.record === 'on' };
      return context.withPlatform(async (platform) => {
        const { id } = projectOf(platform, options.project);
        await platform.agents.setRecordCalls(id, extension, change.record_calls);
        result(context.output(options.json), change, fields(change));
      });
    });

  addForwardCommand(agents, context);

  agents
    .command('password')
    .description('set a new password for an agent’s softphone and show it once')
    .argument('<extension>')
    .action((extension: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const renewed = await platform.agents.renewPassword(projectOf(platform, options.project).id, extension);
        show(context, options.json, renewed);
      });
    });

  agents
    .command('remove')
    .description('remove an agent that nothing uses: no queue, number, call flow, widget or live call')
    .argument('<extension>')
    .action((extension: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const { agent } = await platform.removal.agent(projectOf(platform, options.project).id, extension);
        result(context.output(options.json), { agent, removed: true }, `Removed ${agent}.`);
      });
    });
}

/** The engine where a phone is registered, and since when if that is known. */
function place({
  engine,
  registered_at: since,
}: {
  readonly engine: string;
  readonly registered_at: Date | null;
}): string {
  return since === null ? engine : `${engine} since ${cell(since)}`;
}

/** The caller id of outside calls, `yes` without one, or `no`. */
function callsOut({ may_call_out, caller_id_number }: AgentView): string {
  return may_call_out ? (caller_id_number ?? 'yes') : 'no';
}

function show(context: CliContext, json: boolean, { agent, sipPassword }: AgentWithPassword): void {
  const shown = fields({
    agent: agent.agent,
    name: agent.display_name,
    'SIP user': agent.aor,
    'SIP password': sipPassword,
  });
  const note = 'Keep the password now: it is not shown again.';
  result(context.output(json), { ...agent, sip_password: sipPassword }, `${shown}\n\n${note}`);
}
