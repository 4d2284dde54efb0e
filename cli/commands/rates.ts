import type { Command } from 'commander';
import { CALL_KINDS, type CallDirection, type CallKind } from '../../core/model/call/call.js';
import { exactSarNumber, formatSar, microsFromSar } from '../../core/model/money.js';
import type { Rate } from '../../core/model/rating/rate.js';
import { parseTime } from '../../core/model/time.js';
import { projectOf, type CliContext } from '../common/context.js';
import { readCsv, refuseFaults, type CsvFault, type CsvRow } from '../common/csv.js';
import { CliError, EXIT } from '../common/failure.js';
import { result, table } from '../common/output.js';
import type { Shared } from '../common/options.js';

const COLUMNS = ['direction', 'kind', 'prefix', 'per_minute_sar', 'increment_seconds', 'minimum_seconds'] as const;

interface ImportOptions extends Shared {
  readonly plan: string;
  readonly validFrom?: string;
  readonly dryRun?: true;
}

export function addRateCommands(program: Command, context: CliContext): void {
  const rates = program
    .command('rates')
    .description('rate plans: prices of calls, their versions, and which organization has which plan');

  rates
    .command('import')
    .description(`import a CSV file as a new version of a rate plan (columns: ${COLUMNS.join(', ')})`)
    .argument('<file>')
    .requiredOption('--plan <name>', 'name of the plan, which is created if it does not exist')
    .option('--valid-from <time>', 'ISO 8601 with an offset; now by default')
    .option('--dry-run', 'only check the file')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ImportOptions>();
      const validFrom = options.validFrom === undefined ? new Date() : parseTime(options.validFrom);
      if (!validFrom) throw new CliError(`--valid-from ${options.validFrom ?? ''} is not a time.`, EXIT.usage);
      const rows = await readCsv(file, COLUMNS, ['direction', 'per_minute_sar']);
      const read = rows.map(rateOf);
      refuseFaults(file, [...read.flatMap(({ fault }) => fault ?? []), ...repeated(rows)]);
      const valid = read.flatMap(({ rate }) => rate ?? []);
      const summary = { plan: options.plan, rates: valid.length, valid_from: validFrom.toISOString() };
      const output = context.output(options.json);
      if (options.dryRun) {
        result(output, { ...summary, dry_run: true }, `${file} is valid: ${valid.length} rates. Nothing was changed.`);
        return;
      }
      await context.withPlatform(async ({ billing }) => {
        const { version } = await billing.plans.add(options.plan, valid, validFrom, (written) =>
          context.progress('Importing', written / valid.length),
        );
        const shown = `Version ${version} of ${options.plan}: ${valid.length} rates, valid from ${validFrom.toISOString()}.`;
        result(output, { ...summary, version }, shown);
      });
    });

  rates
    .command('list')
    .description('list the plans, or the newest rates of one plan')
    .argument('[plan]')
    .action((plan: string | undefined, _: unknown, command: Command) => {
      const output = context.output(command.optsWithGlobals<Shared>().json);
      return context.withPlatform(async ({ billing }) => {
        if (plan === undefined) {
          const plans = await billing.plans.list();
          result(
            output,
            plans,
            table(plans, { PLAN: ({ name }) => name, SINCE: ({ created_at }) => created_at }, NONE),
          );
          return;
        }
        const version = await billing.plans.newest(plan);
        const shown = table(
          version?.rates ?? [],
          {
            DIRECTION: ({ direction }) => direction,
            KIND: ({ kind }) => kind ?? 'any',
            PREFIX: ({ prefix }) => prefix,
            'SAR/MIN': ({ perMinute }) => exactSarNumber(perMinute),
            INCREMENT: ({ incrementSeconds }) => `${incrementSeconds} s`,
            MINIMUM: ({ minimumSeconds }) => `${minimumSeconds} s`,
          },
          'The plan has no rates: calls cost nothing.',
        );
        result(output, version, shown);
      });
    });

  rates
    .command('assign')
    .description('assign a plan to the organization of a project, from now on')
    .argument('<plan>')
    .action((plan: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const { organization_id } = projectOf(platform, options.project);
        await platform.billing.plans.assign(organization_id, plan);
        const shown = `The organization ${organization_id} has the plan ${plan}.`;
        result(context.output(options.json), { organization_id, plan }, shown);
      });
    });

  rates
    .command('rerate')
    .description('rate past days again with the current plans and show the differences; nothing is changed')
    .argument('<from>', 'a day of Riyadh, YYYY-MM-DD')
    .argument('<to>', 'included')
    .action((from: string, to: string, _: unknown, command: Command) => {
      const output = context.output(command.optsWithGlobals<Shared>().json);
      if (![from, to].every(isDay)) throw new CliError('Days must have the form YYYY-MM-DD.', EXIT.usage);
      return context.withPlatform(async ({ billing }) => {
        const report = await billing.compareRatings(from, to);
        const sums = `${report.calls} calls cost ${formatSar(report.was)} SAR, and would cost ${formatSar(report.would_be)} SAR.`;
        const differences = table(
          report.differences,
          {
            CALL: ({ call_id }) => call_id,
            DAY: ({ day }) => day,
            WAS: ({ was }) => formatSar(was),
            'WOULD BE': ({ would_be }) => formatSar(would_be),
          },
          'No call differs.',
        );
        result(output, report, `${sums}\n${differences}`);
      });
    });
}

const NONE = 'There is no plan yet: hatif rates import <file> --plan <name>';

function isDay(text: string): boolean {
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

function rateOf({ line, values }: CsvRow): { readonly rate?: Rate; readonly fault?: CsvFault } {
  const { direction = '', kind = '', prefix = '', per_minute_sar = '' } = values;
  const fault = (message: string): { fault: CsvFault } => ({ fault: { line, message } });
  if (!isDirection(direction)) return fault(`direction must be outbound or inbound, not "${direction}"`);
  if (kind !== '' && !isKind(kind)) return fault(`kind must be one of ${CALL_KINDS.join(', ')}, or empty`);
  const digits = prefix.replace(/^\+/, '');
  if (!/^\d{0,15}$/.test(digits)) return fault(`prefix must be the start of an E.164 number, not "${prefix}"`);
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(per_minute_sar)) return fault(`per_minute_sar is not a price: "${per_minute_sar}"`);
  const incrementSeconds = secondsOf(values.increment_seconds, 60);
  const minimumSeconds = secondsOf(values.minimum_seconds, 0);
  if (incrementSeconds === null || incrementSeconds === 0) return fault('increment_seconds must be 1 to 3600');
  if (minimumSeconds === null) return fault('minimum_seconds must be 0 to 3600');
  const perMinute = microsFromSar(per_minute_sar);
  const rate = {
    direction,
    kind: kind === '' ? null : kind,
    prefix: digits,
    perMinute,
    incrementSeconds,
    minimumSeconds,
  };
  return { rate };
}

function isDirection(text: string): text is CallDirection {
  return text === 'outbound' || text === 'inbound';
}

function isKind(text: string): text is CallKind {
  return (CALL_KINDS as readonly string[]).includes(text);
}

function secondsOf(text: string | undefined, usual: number): number | null {
  if (text === undefined || text === '') return usual;
  return /^\d{1,4}$/.test(text) && Number(text) <= 3600 ? Number(text) : null;
}

/** With two rates for the same calls it would be undefined which one applies. */
function repeated(rows: readonly CsvRow[]): CsvFault[] {
  const seen = new Map<string, number>();
  return rows.flatMap(({ line, values: { direction, kind, prefix = '' } }) => {
    const key = JSON.stringify([direction, kind, prefix.replace(/^\+/, '')]);
    const first = seen.get(key);
    if (first !== undefined) return { line, message: `has the same direction, kind and prefix as line ${first}` };
    seen.set(key, line);
    return [];
  });
}
