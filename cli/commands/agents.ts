import { Option, type Command } from 'commander';

import type { AgentView, AgentWithPassword } from '../../core/services/agents/agents.js';
import { projectOf, type CliContext } from '../context.js';
import { fields, result, table } from '../output.js';
import type { Shared } from './shared.js';

interface OutboundOptions extends Shared {
  readonly allow?: boolean;
  readonly deny?: boolean;
  readonly callerId?: string;
}

interface SetOptions extends Shared {
  readonly record: 'on' | 'off';
}

interface AddOptions extends Shared {
  readonly name?: string;
}

export function addAgentCommands(program: Command, context: CliContext): void {
  const agents = program.command('agents').description('people who take calls, and their softphones');

  agents
    .command('add')
    .description('add an agent and show the softphone’s password, this once')
    .argument('<extension>', '2 to 32 letters, digits, dots, dashes or underscores')
    .option('--name <name>', 'what phones show')
    .action((extension: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      return context.withPlatform(async (platform) => {
        const made = await platform.agents.add(projectOf(platform, options.project), extension, options.name);
        show(context, options.json, made);
      });
    });

  agents
    .command('list')
    .description('the agents of a project')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await platform.agents.list(projectOf(platform, options.project).id);
        const shown = table(
          rows,
          {
            AGENT: (row) => row.agent,
            NAME: (row) => row.display_name,
            'SIP USER': (row) => row.aor,
            'CALLS OUT': (row) => callsOut(row),
            RECORDED: (row) => row.record_calls,
          },
          'There is no agent yet: hatif agents add <extension>',
        );
        result(context.output(options.json), rows, shown);
      });
    });

  agents
    .command('outbound')
    .description('say whether an agent’s softphone may call numbers outside, and as whom')
    .argument('<extension>')
    .addOption(new Option('--allow', 'it may').conflicts('deny'))
    .option('--deny', 'it may not; emergency numbers it always may')
    .option('--caller-id <number>', 'show this number of yours')
    .action((extension: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<OutboundOptions>();
      const change = {
        ...(options.allow === true ? { may_call_out: true } : {}),
        ...(options.deny === true ? { may_call_out: false } : {}),
        ...(options.callerId === undefined ? {} : { caller_id_number: options.callerId }),
      };
      if (Object.keys(change).length === 0) command.error('Say --allow, --deny or --caller-id.');
      return context.withPlatform(async (platform) => {
        await platform.agents.setCallingOut(projectOf(platform, options.project), extension, change);
        result(context.output(options.json), { agent: extension, ...change }, fields({ agent: extension, ...change }));
      });
    });

  agents
    .command('set')
    .description('change settings of an agent')
    .argument('<extension>')
    .addOption(
      new Option('--record <on|off>', 'record every call of the agent from its answer on')
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

  agents
    .command('password')
    .description('give an agent’s softphone a new password and show it, this once')
    .argument('<extension>')
    .action((extension: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const renewed = await platform.agents.renewPassword(projectOf(platform, options.project).id, extension);
        show(context, options.json, renewed);
      });
    });
}

/** As whom the agent calls out, or that it may not. */
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
