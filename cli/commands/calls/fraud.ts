import type { Command } from 'commander';

import { limitsOfAgent, limitsOfProject } from '../../../core/model/fraud/limits.js';
import { isId } from '../../../core/model/ids.js';
import { presentFraudBlock } from '../../../core/model/objects/fraud-block.js';
import { projectOf, type CliContext } from '../../common/context.js';
import { CliError, EXIT } from '../../common/failure.js';
import type { Shared } from '../../common/options.js';
import { plain, result, table } from '../../common/output.js';
import { addFraudDefaultCommands } from './fraud-defaults.js';
import { addLimitOptions, changed, LIMIT_COLUMNS, readChange, type LimitOptions } from './fraud-options.js';
import { addPrefixCommands } from './high-risk-prefixes.js';

interface SetOptions extends LimitOptions {
  readonly agent?: string;
  readonly agents?: boolean;
}

const PAGE = 100;

/** The guard against toll fraud: limits, blocks and their release. */
export function addFraudCommands(program: Command, context: CliContext): void {
  const fraud = program
    .command('fraud')
    .description('limit what projects and agents dial outside, and release those who were blocked');

  fraud
    .command('limits')
    .description('show the limits of a project, of its agents, and of agents with their own')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const project = projectOf(platform, options.project);
        const own = await platform.fraud.read(project.id);
        const overrides = await platform.fraud.overrides(project.id);
        const { limits: defaults } = await platform.fraudDefaults.inForce(project.organization_id);
        const limits = limitsOfProject(own, defaults);
        const rows = [
          { of: 'the project together', limits: limits.project },
          { of: 'each agent', limits: limits.agents },
          ...overrides.map(({ agent, fraud_limits }) => ({
            of: `agent ${agent}`,
            limits: limitsOfAgent(limits, fraud_limits),
          })),
        ];
        const shown = table(rows, { OF: (row) => row.of, ...LIMIT_COLUMNS }, '');
        result(context.output(options.json), { project_id: project.id, ...own, effective: limits, overrides }, shown);
      });
    });

  addLimitOptions(
    fraud
      .command('set')
      .description('change limits: of the project together, of each agent (--agents), or of one agent (--agent)')
      .option('--agents', 'of each agent who has no limit of its own')
      .option('--agent <extension>', 'of this agent'),
  ).action((_: unknown, command: Command) => {
    const options = command.optsWithGlobals<SetOptions>();
    const { agent, agents } = options;
    if (agent !== undefined && agents) throw new CliError('Give --agent or --agents, not both.', EXIT.usage);
    const change = readChange(options);
    if (Object.keys(change).length === 0)
      command.error(`Give at least one limit: ${context.commands.hatif('fraud set --help')}`);
    return context.withPlatform(async (platform) => {
      const project = projectOf(platform, options.project);
      const known = await platform.fraud.read(project.id);
      const whose = agent ?? (agents ? 'agents' : 'project');
      const before =
        agent === undefined
          ? known[agents ? 'agents' : 'project']
          : (await platform.fraud.ofAgent(project.id, agent)).own;
      const limits = changed(before, change);
      if (agent !== undefined) await platform.fraud.setOfAgent(project.id, agent, limits, 'command');
      else await platform.fraud.set(project.id, { ...known, [whose]: limits }, 'command');
      const said = `Set. Live calls continue; ${context.commands.hatif('fraud limits')} shows all limits.`;
      result(context.output(options.json), { project_id: project.id, agent: agent ?? null, limits }, said);
    });
  });

  fraud
    .command('blocked')
    .description('list who is blocked, the last ones first')
    .option('--all', 'also blocks that were released')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared & { readonly all?: boolean }>();
      return context.withPlatform(async (platform) => {
        const project = projectOf(platform, options.project);
        const rows = await platform.fraud.blocks(project.id, options.all !== true, null, PAGE);
        const shown = table(
          rows,
          {
            ID: (row) => row.id,
            BLOCKED: (row) => (row.agent === null ? 'the project' : `agent ${row.agent}`),
            REASON: (row) => presentFraudBlock(row).reason,
            'LAST NUMBER': (row) => row.number_masked,
            SINCE: (row) => row.blocked_at,
            RELEASED: (row) => row.released_at,
          },
          'Nobody is blocked.',
        );
        result(context.output(options.json), rows.map(presentFraudBlock), shown);
      });
    });

  fraud
    .command('release')
    .description('release a block: the next call passes, and the limits count from 0 again')
    .argument('<id>')
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      if (!isId(id)) {
        throw new CliError(
          `${plain(id)} is not the ID of a block.`,
          EXIT.usage,
          ({ hatif }) => `${hatif('fraud blocked')} shows the IDs.`,
        );
      }
      return context.withPlatform(async (platform) => {
        const row = await platform.fraud.release(projectOf(platform, options.project).id, id, null);
        const whose = row.agent === null ? 'the project' : `agent ${plain(row.agent)}`;
        result(context.output(options.json), presentFraudBlock(row), `Released: ${whose} may dial outside again.`);
      });
    });

  addFraudDefaultCommands(fraud, context);
  addPrefixCommands(fraud, context);
}
