import type { Command } from 'commander';

import { formatSar, type MicroSar } from '../../../core/model/money.js';
import { amountOf } from '../../common/amount.js';
import { projectOf, type CliContext, type Platform } from '../../common/context.js';
import { CliError, EXIT } from '../../common/failure.js';
import type { Shared } from '../../common/options.js';
import { result, table } from '../../common/output.js';

interface SetOptions extends Shared {
  readonly day?: string;
  readonly month?: string;
}

/** The state of a project's caps. */
interface CapsOfProject {
  readonly project_id: string;
  readonly project: string;
  readonly day_sar: string | null;
  readonly spent_today_sar: string;
  readonly month_sar: string | null;
  readonly spent_this_month_sar: string;
}

const NONE = 'none';
/** The highest amount that the API accepts. */
const MOST = 1_000_000_000;

export function addCapsCommands(program: Command, context: CliContext): void {
  const caps = program.command('caps').description('limit what a project may spend in a day and in a month of Riyadh');

  caps
    .command('list')
    .description('list the caps, and what is spent, of all projects or of that of --project')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const wanted = options.project === undefined ? platform.projects : [projectOf(platform, options.project)];
        const rows = await Promise.all(wanted.map((project) => read(platform, project)));
        result(context.output(options.json), rows, shown(rows, context));
      });
    });

  caps
    .command('set')
    .description('set caps; new calls are refused at a cap, and live calls continue')
    .option('--day <sar>', `what may be spent in a day of Riyadh, in riyals, or ${NONE}`)
    .option('--month <sar>', `what may be spent in a month of Riyadh, in riyals, or ${NONE}`)
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<SetOptions>();
      const change = {
        ...(options.day !== undefined && { day: capOf('--day', options.day) }),
        ...(options.month !== undefined && { month: capOf('--month', options.month) }),
      };
      if (Object.keys(change).length === 0) command.error('Give --day or --month.');
      return context.withPlatform(async (platform) => {
        const project = projectOf(platform, options.project);
        const { account } = platform.billing;
        const { caps: known } = await account.read(project.organization_id, project.id);
        await account.setCaps({ project_id: project.id, ...known, ...change });
        const row = await read(platform, project);
        result(context.output(options.json), row, shown([row], context));
      });
    });
}

async function read(
  platform: Platform,
  { id, name, organization_id }: Platform['projects'][number],
): Promise<CapsOfProject> {
  const { caps, spent } = await platform.billing.account.read(organization_id, id);
  return {
    project_id: id,
    project: name,
    day_sar: orNull(caps.day),
    spent_today_sar: formatSar(spent.day),
    month_sar: orNull(caps.month),
    spent_this_month_sar: formatSar(spent.month),
  };
}

function shown(rows: readonly CapsOfProject[], { commands }: CliContext): string {
  return table(
    rows,
    {
      ID: (row) => row.project_id,
      PROJECT: (row) => row.project,
      'CAP/DAY': (row) => row.day_sar ?? NONE,
      'SPENT TODAY': (row) => row.spent_today_sar,
      'CAP/MONTH': (row) => row.month_sar ?? NONE,
      'SPENT THIS MONTH': (row) => row.spent_this_month_sar,
    },
    `There is no project yet: ${commands.start()}`,
  );
}

function orNull(amount: MicroSar | null): string | null {
  return amount === null ? null : formatSar(amount);
}

/** @throws CliError */
function capOf(option: string, text: string): MicroSar | null {
  if (text === NONE) return null;
  const isCap = /^\d+(\.\d{1,2})?$/.test(text) && Number(text) <= MOST;
  if (isCap) return amountOf(text);
  throw new CliError(`${option}: must be an amount in riyals such as 250.00, or ${NONE}.`, EXIT.usage);
}
