import type { Command } from 'commander';
import { formatSar } from '../../../core/model/money.js';
import { projectOf, type CliContext } from '../../common/context.js';
import { CliError, EXIT } from '../../common/failure.js';
import { fields, result } from '../../common/output.js';
import { amountOf, paymentOf } from '../../common/amount.js';
import type { Shared } from '../../common/options.js';

interface TopUpOptions extends Shared {
  readonly reference: string;
  readonly note?: string;
}

export function addBillingCommands(program: Command, context: CliContext): void {
  const billing = program
    .command('billing')
    .description('show accounts, and move money between organizations and projects');

  billing
    .command('show')
    .description('show the account of a project')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const { id, organization_id } = projectOf(platform, options.project);
        const state = await platform.billing.account.read(organization_id, id);
        const shown = fields({
          pays: state.mode === 'prepaid' ? 'in advance (prepaid)' : 'afterwards (postpaid)',
          'rate plan': state.hasOwnPlan
            ? state.planName
            : `${state.planName} (no plan was assigned: prices of the settings)`,
          pool: formatSar(state.pool),
          balance: formatSar(state.balance),
          held: formatSar(state.held),
          'spent today': formatSar(state.spent.day),
          'spent this month': formatSar(state.spent.month),
        });
        result(context.output(options.json), state, shown);
      });
    });

  billing
    .command('mode')
    .description('set whether the organization of a project pays in advance or afterwards')
    .argument('<mode>', 'prepaid or postpaid')
    .action((mode: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      if (mode !== 'prepaid' && mode !== 'postpaid')
        throw new CliError('The mode must be prepaid or postpaid.', EXIT.usage);
      return context.withPlatform(async (platform) => {
        const { organization_id } = projectOf(platform, options.project);
        await platform.billing.plans.setMode(organization_id, mode);
        result(context.output(options.json), { organization_id, mode }, `The organization is ${mode}.`);
      });
    });

  billing
    .command('top-up')
    .description('credit a payment to the pool of the project’s organization')
    .argument('<sar>')
    .requiredOption('--reference <text>', 'reference of the payment; each one is booked once')
    .option('--note <text>')
    .action((sar: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<TopUpOptions>();
      const amount = paymentOf(sar);
      return context.withPlatform(async (platform) => {
        const { organization_id } = projectOf(platform, options.project);
        const { balances } = platform.billing;
        const isNew = await balances.topUp(organization_id, amount, options.reference, options.note ?? null);
        const pool = formatSar(await balances.pool(organization_id));
        const done = isNew ? `Booked ${formatSar(amount)} SAR.` : `${options.reference} was booked already.`;
        result(
          context.output(options.json),
          { booked: isNew, pool_balance_sar: pool },
          `${done} The pool holds ${pool} SAR.`,
        );
      });
    });

  billing
    .command('allocate')
    .description('move money from the organization’s pool to a project; a negative amount moves it back')
    .argument('<sar>')
    .action((sar: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      const amount = amountOf(sar);
      if (amount === 0) throw new CliError('The amount must not be 0.', EXIT.usage);
      return context.withPlatform(async (platform) => {
        const { id, name, organization_id } = projectOf(platform, options.project);
        await platform.billing.balances.allocate(organization_id, id, amount);
        const balance = formatSar(await platform.billing.balances.project(organization_id, id));
        result(context.output(options.json), { balance_sar: balance }, `${name} has ${balance} SAR.`);
      });
    });
}
