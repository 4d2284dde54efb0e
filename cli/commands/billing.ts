import type { Command } from 'commander';
import { formatSar } from '../../core/model/money.js';
import { projectOf, type CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { fields, result } from '../common/output.js';
import { amountOf, paymentOf } from '../common/amount.js';
import type { Shared } from '../common/options.js';

interface TopUpOptions extends Shared {
  readonly reference: string;
  readonly note?: string;
}

export function addBillingCommands(program: Command, context: CliContext): void {
  const billing = program
    .command('billing')
    .description('balances: what organizations paid, and what projects may spend');

  billing
    .command('show')
    .description('how the account of a project stands')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const { id, organization_id } = projectOf(platform, options.project);
        const state = await platform.billing.account.read(organization_id, id);
        const shown = fields({
          pays: state.mode === 'prepaid' ? 'before (prepaid)' : 'later (postpaid)',
          'rate plan': state.planName,
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
    .description('whether the organization of a project pays before it calls, or later')
    .argument('<mode>', 'prepaid or postpaid')
    .action((mode: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      if (mode !== 'prepaid' && mode !== 'postpaid') throw new CliError('Say prepaid or postpaid.', EXIT.usage);
      return context.withPlatform(async (platform) => {
        const { organization_id } = projectOf(platform, options.project);
        await platform.billing.plans.setMode(organization_id, mode);
        result(context.output(options.json), { organization_id, mode }, `The organization pays ${mode}.`);
      });
    });

  billing
    .command('top-up')
    .description('book money that the organization of a project has paid into its pool')
    .argument('<sar>')
    .requiredOption('--reference <text>', 'of the payment; booked once however often it is told')
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
    .description('give a project money of its organization’s pool; below 0 takes it back')
    .argument('<sar>')
    .action((sar: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      const amount = amountOf(sar);
      if (amount === 0) throw new CliError('Nothing is nothing to move.', EXIT.usage);
      return context.withPlatform(async (platform) => {
        const { id, name, organization_id } = projectOf(platform, options.project);
        await platform.billing.balances.allocate(organization_id, id, amount);
        const balance = formatSar(await platform.billing.balances.project(organization_id, id));
        result(context.output(options.json), { balance_sar: balance }, `${name} has ${balance} SAR.`);
      });
    });
}
