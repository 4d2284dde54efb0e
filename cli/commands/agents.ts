import type { Command } from 'commander';

import type { AgentWithPassword } from '../../core/services/agents/agents.js';
import { projectOf, type CliContext } from '../context.js';
import { fields, result, table } from '../output.js';
import type { Shared } from './shared.js';

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
          { AGENT: (row) => row.agent, NAME: (row) => row.display_name, 'SIP USER': (row) => row.aor },
          'There is no agent yet: hatif agents add <extension>',
        );
        result(context.output(options.json), rows, shown);
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
