import type { Command } from 'commander';
import { exactSarNumber, formatSar } from '../../../core/model/money.js';
import { parseTime } from '../../../core/model/time.js';
import { projectOf, type CliContext } from '../../common/context.js';
import { readCsv, refuseFaults } from '../../common/csv.js';
import { CliError, EXIT } from '../../common/failure.js';
import { RATE_COLUMNS, rateOf, repeated } from '../../common/rate-lines.js';
import { result, table } from '../../common/output.js';
import type { Shared } from '../../common/options.js';

interface ImportOptions extends Shared {
  readonly plan: string;
  readonly validFrom?: string;
  readonly dryRun?: true;
}

export function addRateCommands(program: Command, context: CliContext): void {
  const rates = program.command('rates').description('import and list rate plans, and assign them to organizations');

  rates
    .command('import')
    .description(`import a CSV file as a new version of a rate plan (columns: ${RATE_COLUMNS.join(', ')})`)
    .argument('<file>')
    .requiredOption('--plan <name>', 'name of the plan, which is created if it does not exist')
    .option('--valid-from <time>', 'ISO 8601 with an offset; now by default')
    .option('--dry-run', 'only check the file')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ImportOptions>();
      const validFrom = options.validFrom === undefined ? new Date() : parseTime(options.validFrom);
      if (!validFrom) throw new CliError(`--valid-from ${options.validFrom ?? ''} is not a time.`, EXIT.usage);
      const rows = await readCsv(file, RATE_COLUMNS, ['direction', 'per_minute_sar']);
      const read = rows.map(rateOf);
      refuseFaults(file, [...read.flatMap(({ fault }) => fault ?? []), ...repeated(rows)]);
      const valid = read.flatMap(({ rate }) => rate ?? []);
      const numberFees = read.flatMap(({ fee }) => fee ?? []);
      const messageRates = read.flatMap(({ messageRate }) => messageRate ?? []);
      const summary = {
        plan: options.plan,
        rates: valid.length,
        number_fees: numberFees.length,
        message_rates: messageRates.length,
        valid_from: validFrom.toISOString(),
      };
      const fees = `${numberFees.length} monthly fees of numbers`;
      const counts = `${valid.length} rates, ${fees} and ${messageRates.length} prices of messages`;
      const output = context.output(options.json);
      if (options.dryRun) {
        result(output, { ...summary, dry_run: true }, `${file} is valid: ${counts}. Nothing was changed.`);
        return;
      }
      await context.withPlatform(async ({ billing }) => {
        const onProgress = (written: number): void => context.progress('Importing', written / valid.length);
        const { plans } = billing;
        const { version } = await plans.add(options.plan, valid, validFrom, onProgress, numberFees, messageRates);
        const shown = `Version ${version} of ${options.plan}: ${counts}, valid from ${validFrom.toISOString()}.`;
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
          const none = `There is no plan yet: ${context.commands.hatif('rates import <file> --plan <name>')}`;
          result(
            output,
            plans,
            table(plans, { PLAN: ({ name }) => name, SINCE: ({ created_at }) => created_at }, none),
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
        const fees = table(
          version?.numberFees ?? [],
          {
            NUMBERS: ({ kind }) => kind ?? 'any',
            PREFIX: ({ prefix }) => prefix,
            'SAR/MONTH': ({ monthly }) => exactSarNumber(monthly),
          },
          'Numbers are free.',
        );
        const messages = table(
          version?.messageRates ?? [],
          {
            MESSAGES: ({ channel }) => channel,
            PREFIX: ({ prefix }) => prefix,
            'SAR/SEGMENT': ({ perSegment }) => exactSarNumber(perSegment),
          },
          'Messages are free.',
        );
        result(output, version, `${shown}\n\n${fees}\n\n${messages}`);
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
    .description('rate past days again by the current versions of the plans, and show the differences')
    .argument('<from>', 'a day of Riyadh, YYYY-MM-DD')
    .argument('<to>', 'included')
    .option('--book', 'also book the differences, each once')
    .action((from: string, to: string, _: unknown, command: Command) => {
      const { json, book = false } = command.optsWithGlobals<Shared & { book?: true }>();
      const output = context.output(json);
      if (![from, to].every(isDay)) throw new CliError('Days must have the form YYYY-MM-DD.', EXIT.usage);
      if (from > to) throw new CliError('The first day must not be after the last one.', EXIT.usage);
      return context.withPlatform(async ({ billing }) => {
        const report = await (book ? billing.bookRatings(from, to) : billing.compareRatings(from, to));
        const [was, now] = [formatSar(report.was), formatSar(report.would_be)];
        const sums = book
          ? `${report.calls} calls cost ${was} SAR, and cost ${now} SAR now. ${report.differences.length} differences were booked.`
          : `${report.calls} calls cost ${was} SAR, and would cost ${now} SAR. Nothing was changed.`;
        const differences = table(
          report.differences,
          {
            CALL: ({ call_id }) => call_id,
            DAY: ({ day }) => day,
            WAS: ({ was }) => formatSar(was),
            [book ? 'IS' : 'WOULD BE']: ({ would_be }) => formatSar(would_be),
          },
          'No call differs.',
        );
        result(output, { ...report, booked: book }, `${sums}\n${differences}`);
      });
    });
}

function isDay(text: string): boolean {
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}
