import type { Command } from 'commander';

import { isTimeZone, RIYADH } from '../../../core/model/calendar/index.js';
import { limitsOfAgent, type FraudLimits, type NightLimits } from '../../../core/model/fraud/limits.js';
import { isId } from '../../../core/model/ids.js';
import { formatSar, microsFromSar } from '../../../core/model/money.js';
import { presentFraudBlock } from '../../../core/model/objects/fraud-block.js';
import { CLASSES_HELP, readClasses } from '../../common/destination-classes.js';
import { projectOf, type CliContext } from '../../common/context.js';
import { CliError, EXIT } from '../../common/failure.js';
import type { Shared } from '../../common/options.js';
import { plain, result, table } from '../../common/output.js';

interface OfWhom extends Shared {
  readonly agent?: string;
  readonly agents?: boolean;
}

interface SetOptions extends OfWhom {
  readonly callsPerHour?: string;
  readonly minutesPerDay?: string;
  readonly spendPerHour?: string;
  readonly newNumberCallsPerHour?: string;
  readonly night?: string;
  readonly nightClasses?: string;
  readonly nightCallsPerHour?: string;
  readonly timeZone?: string;
}

const PAGE = 100;
const MOST = 1_000_000;
const NIGHT = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d)$/;
const VALUES = 'a number, or none; for one agent also inherit';

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
        const limits = await platform.fraud.read(project.id);
        const overrides = await platform.fraud.overrides(project.id);
        const rows = [
          { of: 'the project together', limits: limits.project },
          { of: 'each agent', limits: limits.agents },
          ...overrides.map(({ agent, fraud_limits: own }) => ({
            of: `agent ${agent}`,
            limits: limitsOfAgent(limits, own),
          })),
        ];
        const shown = table(
          rows,
          {
            OF: (row) => row.of,
            'CALLS/HOUR': ({ limits: { calls_per_hour: value } }) => shownLimit(value),
            'MINUTES/DAY': ({ limits: { minutes_per_day: value } }) => shownLimit(value),
            'SAR/HOUR': ({ limits: { spend_per_hour: value } }) => shownLimit(value, formatSar),
            'TO A NEW NUMBER/HOUR': ({ limits: { new_number_calls_per_hour: value } }) => shownLimit(value),
            NIGHT: ({ limits: { night } }) => shownLimit(night, shownNight),
          },
          '',
        );
        result(context.output(options.json), { project_id: project.id, ...limits, overrides }, shown);
      });
    });

  fraud
    .command('set')
    .description('change limits: of the project together, of each agent (--agents), or of one agent (--agent)')
    .option('--agents', 'of each agent who has no limit of its own')
    .option('--agent <extension>', 'of this agent')
    .option('--calls-per-hour <calls>', `calls to the outside: ${VALUES}`)
    .option('--minutes-per-day <minutes>', `minutes of answered calls: ${VALUES}`)
    .option('--spend-per-hour <riyals>', `what calls cost: ${VALUES}`)
    .option('--new-number-calls-per-hour <calls>', `calls to one number that was not called before: ${VALUES}`)
    .option('--night <from-to>', 'hours such as 22:00-06:00, none, or inherit; with the three options below')
    .option('--night-classes <classes>', CLASSES_HELP)
    .option('--night-calls-per-hour <calls>', 'instead of --calls-per-hour')
    .option('--time-zone <name>', `of the night; ${RIYADH} by default`)
    .action((_: unknown, command: Command) => {
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
        const limits = changed(before, change, agent !== undefined);
        if (agent !== undefined) await platform.fraud.setOfAgent(project.id, agent, limits);
        else await platform.fraud.set(project.id, { ...known, [whose]: limits });
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
}

/** A limit that is to be set, or `inherit`. */
type Change = { readonly [K in keyof FraudLimits]: FraudLimits[K] | 'inherit' };

function readChange(options: SetOptions): Change {
  const { callsPerHour, minutesPerDay, spendPerHour, newNumberCallsPerHour, night } = options;
  const others = [options.nightClasses, options.nightCallsPerHour, options.timeZone];
  if (night === undefined && others.some((option) => option !== undefined)) {
    throw new CliError('Give --night with the other options of the night.', EXIT.usage);
  }
  const whole = (option: string, text: string): number => {
    if (/^[1-9]\d{0,6}$/.test(text) && Number(text) <= MOST) return Number(text);
    throw new CliError(`--${option}: must be a whole number from 1 to ${MOST}, none or inherit.`, EXIT.usage);
  };
  const given = <T>(text: string | undefined, read: (text: string) => T): T | null | 'inherit' | undefined => {
    if (text === undefined || text === 'inherit') return text;
    return text === 'none' ? null : read(text);
  };
  const change = {
    calls_per_hour: given(callsPerHour, (text) => whole('calls-per-hour', text)),
    minutes_per_day: given(minutesPerDay, (text) => whole('minutes-per-day', text)),
    spend_per_hour: given(spendPerHour, readRiyals),
    new_number_calls_per_hour: given(newNumberCallsPerHour, (text) => whole('new-number-calls-per-hour', text)),
    night: given(night, (text) => readNight(text, options, whole)),
  };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

function readRiyals(text: string): number {
  if (/^\d{1,7}(\.\d{1,2})?$/.test(text) && Number(text) > 0) return microsFromSar(text);
  throw new CliError('--spend-per-hour: must be an amount in riyals such as 12.50, none or inherit.', EXIT.usage);
}

function readNight(
  text: string,
  { nightClasses, nightCallsPerHour, timeZone = RIYADH }: SetOptions,
  whole: (option: string, text: string) => number,
): NightLimits {
  const [, from = '', to = ''] = NIGHT.exec(text) ?? [];
  if (from === to) throw new CliError('--night: must be hours such as 22:00-06:00, none or inherit.', EXIT.usage);
  if (!isTimeZone(timeZone)) throw new CliError('--time-zone: must be an IANA time zone.', EXIT.usage);
  return {
    from,
    to,
    time_zone: timeZone,
    destination_classes: nightClasses === undefined ? [] : readClasses(nightClasses),
    calls_per_hour:
      nightCallsPerHour === undefined || nightCallsPerHour === 'none'
        ? null
        : whole('night-calls-per-hour', nightCallsPerHour),
  };
}

function changed(before: FraudLimits, change: Change, isAgent: boolean): FraudLimits {
  const all = { ...before, ...change };
  // For a project, no limit is the absence of one.
  const kept = Object.entries(all).filter(([, value]) => value !== 'inherit' && (isAgent || value !== null));
  return Object.fromEntries(kept);
}

function shownLimit<T extends number | NightLimits>(
  value: T | null | undefined,
  show: (value: T) => string = String,
): string {
  if (value === undefined) return '-';
  return value === null ? 'none' : show(value);
}

function shownNight({ from, to, time_zone, destination_classes, calls_per_hour }: NightLimits): string {
  const calls = calls_per_hour === null ? '' : `, ${calls_per_hour} calls/hour`;
  return `${from}-${to} ${time_zone}: ${destination_classes.join(', ') || 'nothing'}${calls}`;
}
