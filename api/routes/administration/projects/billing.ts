import { z } from 'zod';
import { exactSarNumber } from '../../../../core/model/money.js';
import { CURRENCY, sar } from '../../../../core/model/objects/fields.js';
import type { ProjectRow } from '../../../../core/data/rows.js';
import type { BillingAccount } from '../../../../core/services/billing/account.js';
import type { Balances } from '../../../../core/services/billing/balances.js';
import { amountInput, micros } from '../../../http/schema/amounts.js';
import { bilingual } from '../../../http/schema/bilingual.js';
import { route, type Route } from '../../../http/route.js';
import { byAdministrator, reading, writing } from '../administrator.js';
import { noteOn, PROJECT, projectParams, type FindProject } from './project.js';

const account = z
  .strictObject({
    billing: z.enum(['postpaid', 'prepaid']),
    rate_plan: z.string(),
    has_own_rate_plan: z.boolean().describe('False: no plan was assigned to the organization'),
    pool_balance_sar: sar.describe('Funds of the organization that are not allocated to any project'),
    balance_sar: sar.describe('Balance of the project; a negative balance is owed'),
    held_sar: sar.describe('Amount reserved for live calls'),
    spend_caps: z.strictObject({ day_sar: sar.nullable(), month_sar: sar.nullable() }),
    spent_sar: z.strictObject({ day: sar, month: sar }),
    currency: CURRENCY,
  })
  .meta({ id: 'AdministeredBillingAccount' });

export interface AdministeredBillingServices {
  readonly find: FindProject;
  readonly account: BillingAccount;
  readonly balances: Balances;
}

/** The accounts of projects. Amounts are exact, with up to six decimals. */
export function administeredBillingRoutes({ find, account: accounts, balances }: AdministeredBillingServices): Route[] {
  const present = async ({ id, organization_id }: ProjectRow): Promise<z.output<typeof account>> => {
    const state = await accounts.read(organization_id, id);
    const orNull = (amount: number | null): number | null => (amount === null ? null : exactSarNumber(amount));
    return {
      billing: state.mode,
      rate_plan: state.planName,
      has_own_rate_plan: state.hasOwnPlan,
      pool_balance_sar: exactSarNumber(state.pool),
      balance_sar: exactSarNumber(state.balance),
      held_sar: exactSarNumber(state.held),
      spend_caps: { day_sar: orNull(state.caps.day), month_sar: orNull(state.caps.month) },
      spent_sar: { day: exactSarNumber(state.spent.day), month: exactSarNumber(state.spent.month) },
      currency: 'SAR',
    };
  };
  return [
    route({
      ...reading,
      path: `${PROJECT}/billing`,
      operationId: 'getBillingOfProject',
      summary: 'Get the account of a project',
      summaryAr: 'حالة حساب مشروع',
      description: 'Amounts are exact, with up to six decimals.',
      params: projectParams,
      responses: { 200: { schema: account, description: 'Balance, spending caps and spending' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id } }) => ({ status: 200, body: await present(await find.get(project_id)) }),
    }),
    route({
      ...byAdministrator,
      method: 'PUT',
      path: `${PROJECT}/spend-caps`,
      operationId: 'setSpendCapsOfProject',
      summary: 'Set the spending caps of a project',
      summaryAr: 'تحديد سقف إنفاق لمشروع',
      description: 'Once a cap is reached, new calls are refused; live calls continue.',
      params: projectParams,
      body: z.strictObject({ day_sar: amountInput(2, 0).nullable(), month_sar: amountInput(2, 0).nullable() }),
      auditFields: ['day_sar', 'month_sar'],
      responses: { 200: { schema: account, description: 'The account with its new caps' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id }, body: { day_sar, month_sar }, note }) => {
        const project = await find.get(project_id);
        const caps = {
          day: day_sar === null ? null : micros(day_sar),
          month: month_sar === null ? null : micros(month_sar),
        };
        await accounts.setCaps({ project_id: project.id, ...caps });
        note(noteOn(project));
        return { status: 200, body: await present(project) };
      },
    }),
    route({
      ...writing,
      path: `${PROJECT}/allocations`,
      operationId: 'allocateToProject',
      summary: 'Allocate funds from the organization’s pool to a project',
      summaryAr: 'تخصيص رصيد لمشروع من رصيد المؤسسة المشترك',
      description: 'A negative amount returns funds to the pool, except funds reserved for live calls.',
      params: projectParams,
      body: z.strictObject({
        amount_sar: amountInput(2, -1_000_000_000).refine(
          (amount) => amount !== 0,
          bilingual('must not be 0', 'يجب ألا يكون صفرًا'),
        ),
      }),
      auditFields: ['amount_sar'],
      responses: { 201: { schema: account, description: 'The account of the project' } },
      errors: [
        'PROJECT_NOT_FOUND',
        'PROJECT_NOT_FOUND_FOR_ALLOCATION',
        'INSUFFICIENT_POOL_BALANCE',
        'INSUFFICIENT_PROJECT_BALANCE',
      ],
      handler: async ({ params: { project_id }, body: { amount_sar }, note }) => {
        const project = await find.get(project_id);
        await balances.allocate(project.organization_id, project.id, micros(amount_sar));
        note(noteOn(project));
        return { status: 201, body: await present(project) };
      },
    }),
  ];
}
