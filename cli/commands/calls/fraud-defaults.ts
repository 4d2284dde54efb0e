import { Option, type Command } from 'commander';

import type { FraudDefaults } from '../../../core/model/fraud/limits.js';
import type { CliContext, Platform } from '../../common/context.js';
import { chosen } from '../../common/names.js';
import { plain, result, table } from '../../common/output.js';
import { addLimitOptions, changed, LIMIT_COLUMNS, readChange, type LimitOptions } from './fraud-options.js';

interface OfWhom {
  readonly organization?: string;
}

interface SetOptions extends LimitOptions, OfWhom {
  readonly agents?: boolean;
  readonly endCalls?: 'on' | 'off' | 'inherit';
}

const ORGANIZATION = 'of this organization, by name or ID; without it, of the whole installation';
const ENDS: Readonly<Record<NonNullable<SetOptions['endCalls']>, boolean | null>> = {
  on: true,
  off: false,
  inherit: null,
};

/** Adds the commands for the limits of projects and agents that say nothing else. */
export function addFraudDefaultCommands(fraud: Command, context: CliContext): void {
  fraud
    .command('defaults')
    .description('show the limits for projects and agents that say nothing else')
    .option('--organization <organization>', ORGANIZATION)
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<LimitOptions & OfWhom>();
      return context.withPlatform(async (platform) => {
        const of = await organizationOf(platform, options.organization);
        const defaults = await platform.fraudDefaults.own(of?.id ?? null);
        result(context.output(options.json), shownDefaults(of, defaults), textOf(defaults));
      });
    });

  addLimitOptions(
    fraud
      .command('set-defaults')
      .description('change these limits: of each project together, or of each agent (--agents)')
      .option('--organization <organization>', ORGANIZATION)
      .option('--agents', 'of each agent')
      .addOption(
        new Option('--end-calls <how>', 'whether a block also ends the live calls that it concerns').choices([
          'on',
          'off',
          'inherit',
        ]),
      ),
  ).action((_: unknown, command: Command) => {
    const options = command.optsWithGlobals<SetOptions>();
    const change = readChange(options);
    if (Object.keys(change).length === 0 && options.endCalls === undefined)
      command.error(`Give at least one limit: ${context.commands.hatif('fraud set-defaults --help')}`);
    return context.withPlatform(async (platform) => {
      const of = await organizationOf(platform, options.organization);
      const { limits, ends_calls } = await platform.fraudDefaults.own(of?.id ?? null);
      const whose = options.agents ? 'agents' : 'project';
      const defaults: FraudDefaults = {
        limits: { ...limits, [whose]: changed(limits[whose], change) },
        ends_calls: options.endCalls === undefined ? ends_calls : ENDS[options.endCalls],
      };
      await platform.fraudDefaults.set(of?.id ?? null, defaults, 'command');
      const said = `Set for ${of === null ? 'the installation' : plain(of.name)}. Blocks that are in force stay.`;
      result(context.output(options.json), shownDefaults(of, defaults), said);
    });
  });
}

type Organization = Awaited<ReturnType<Platform['contacts']['list']>>[number];

/** @returns null for the installation */
async function organizationOf(platform: Platform, wanted: string | undefined): Promise<Organization | null> {
  if (wanted === undefined) return null;
  return chosen(await platform.contacts.list(), wanted, 'organization', {
    problem: 'There is no organization yet.',
    hint: ({ hatif }) => hatif('projects create <name> --new-organization <name>'),
  });
}

function shownDefaults(of: Organization | null, { limits, ends_calls }: FraudDefaults): object {
  return { organization_id: of?.id ?? null, ...limits, ends_calls };
}

function textOf({ limits: { project, agents }, ends_calls }: FraudDefaults): string {
  const rows = [
    { of: 'each project together', limits: project },
    { of: 'each agent', limits: agents },
  ];
  const calls = ends_calls === null ? 'not set' : ends_calls ? 'end' : 'continue';
  return `${table(rows, { OF: (row) => row.of, ...LIMIT_COLUMNS }, '')}\nLive calls of those who are blocked: ${calls}`;
}
