import type { Command } from 'commander';

import { RIYADH } from '../../../core/model/calendar/index.js';
import { WEEKDAYS, type Weekday } from '../../../core/model/calendar/opening-hours.js';
import { exactSarNumber, microsFromSar, type MicroSar } from '../../../core/model/money.js';
import type { TrunkHours } from '../../../core/model/trunks/hours.js';
import type { CliContext } from '../../common/context.js';
import { CliError, EXIT } from '../../common/failure.js';
import { chosen } from '../../common/names.js';
import { commaList, readNumber, type Shared } from '../../common/options.js';
import { plain, result, table } from '../../common/output.js';

interface AddOptions extends Shared {
  readonly organization?: string;
  readonly prefix: string;
  readonly priority: string;
  readonly weight: string;
  readonly cost?: string;
  readonly weekdays?: string[];
  readonly from?: string;
  readonly to?: string;
  readonly timeZone: string;
}

const NO_ORGANIZATION = { problem: 'There is no organization yet.', hint: 'Add one first.' };
const COST = /^\d{1,6}(\.\d{1,6})?$/;

/** @param trunks the commands for trunks */
export function addTrunkRouteCommands(trunks: Command, context: CliContext): void {
  const routes = trunks.command('routes').description('manage which trunks carry which outgoing calls');

  routes
    .command('add')
    .description('send calls to numbers of a prefix through a trunk')
    .argument('<trunk>')
    .option('--prefix <digits>', 'start of the numbers in E.164; without it: every number', '')
    .option('--organization <organization>', 'only calls of this organization (ID or name)')
    .option('--priority <number>', 'among prefixes of the same length, the lowest comes first', '100')
    .option('--weight <number>', 'the share of calls among routes that are otherwise equal', '1')
    .option('--cost <sar>', 'price of a minute; without it: by the rates of the trunk')
    .option('--weekdays <days>', `of ${WEEKDAYS.join(', ')}; without it: all`, commaList)
    .option('--from <time>', 'HH:MM')
    .option('--to <time>', 'HH:MM, not included; not after --from: of the next day')
    .option('--time-zone <zone>', 'IANA time zone of the hours', RIYADH)
    .action((trunk: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const route = {
        trunk,
        prefix: options.prefix,
        priority: readNumber('--priority', options.priority),
        weight: readNumber('--weight', options.weight),
        cost: options.cost === undefined ? null : costOf(options.cost),
        hours: hoursOf(options),
      };
      return context.withPlatform(async (platform) => {
        const organization =
          options.organization === undefined
            ? null
            : chosen(await platform.contacts.list(), options.organization, 'organization', NO_ORGANIZATION);
        const added = await platform.trunkRoutes.add({ ...route, organizationId: organization?.id ?? null });
        const whose = added.organization === null ? 'Calls' : `Calls of ${plain(added.organization)}`;
        const shown = `${whose} to ${numbersOf(added)} may take the trunk ${added.trunk}: route ${added.id}.`;
        result(context.output(options.json), added, shown);
      });
    });

  routes
    .command('list')
    .description('list all routes, in the order of the choice')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await platform.trunkRoutes.list();
        const shown = table(
          rows,
          {
            ID: ({ id }) => id,
            ORGANIZATION: ({ organization }) => organization ?? 'all',
            PREFIX: ({ prefix }) => `+${prefix}`,
            TRUNK: ({ trunk }) => trunk,
            PRIORITY: ({ priority }) => priority,
            'SAR/MIN': ({ cost }) => (cost === null ? 'by rates' : exactSarNumber(cost)),
            WEIGHT: ({ weight }) => weight,
            HOURS: ({ hours }) => hours && written(hours),
          },
          'There is no route: outgoing calls take the default trunk.',
        );
        result(context.output(options.json), rows, shown);
      });
    });

  routes
    .command('remove')
    .description('remove a route')
    .argument('<id>')
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        if (!(await platform.trunkRoutes.remove(id))) throw new CliError(`There is no route ${plain(id)}.`);
        result(context.output(options.json), { id, removed: true }, `Removed the route ${plain(id)}.`);
      });
    });
}

function numbersOf({ prefix }: { readonly prefix: string }): string {
  return prefix === '' ? 'every number' : `numbers that begin with +${prefix}`;
}

function written({ weekdays, from, to, time_zone }: TrunkHours): string {
  const days = weekdays.length === WEEKDAYS.length ? 'daily' : weekdays.join(',');
  return `${days} ${from}-${to} ${time_zone}`;
}

function costOf(sar: string): MicroSar {
  if (!COST.test(sar)) throw new CliError(`--cost: "${sar}" is not a price.`, EXIT.usage);
  return microsFromSar(sar);
}

/** Null without any option about hours. @throws CliError for times without each other, and for an unknown day */
function hoursOf({ weekdays, from, to, timeZone }: AddOptions): TrunkHours | null {
  if (weekdays === undefined && from === undefined && to === undefined) return null;
  if ((from === undefined) !== (to === undefined)) {
    throw new CliError('--from and --to need each other.', EXIT.usage);
  }
  const unknown = weekdays?.find((day) => !(WEEKDAYS as readonly string[]).includes(day));
  if (unknown !== undefined) {
    throw new CliError(`--weekdays: ${plain(unknown)} is not a day.`, EXIT.usage, `Days: ${WEEKDAYS.join(', ')}`);
  }
  return {
    time_zone: timeZone,
    weekdays: (weekdays as Weekday[] | undefined) ?? [...WEEKDAYS],
    from: from ?? '00:00',
    to: to ?? '24:00',
  };
}
