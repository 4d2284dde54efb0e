import { z } from 'zod';
import { CURRENCY, idOutput, sar, timeOutput } from '../../../core/model/objects/fields.js';
import { CHANNELS } from '../../../core/model/messaging/channels.js';
import { CALL_DIRECTIONS, CALL_KINDS } from '../../../core/model/call/call.js';
import { OWNABLE_KINDS } from '../../../core/model/number/search.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { exactSarNumber, sarNumber } from '../../../core/model/money.js';
import { isoTime } from '../../../core/model/time.js';
import type { BillingAccount, BillingAccountState } from '../../../core/services/billing/account.js';
import type { Balances } from '../../../core/services/billing/balances.js';
import type { PlanService } from '../../../core/services/billing/plans.js';
import type { NumberFeeCharging } from '../../../core/services/billing/number-fees.js';
import { SANDBOX_ACCOUNT, SANDBOX_PLAN } from '../../../core/services/sandbox/account.js';
import type { ReportedUsage } from '../../../core/services/billing/reported-usage.js';
import { numberFeesRoute } from './number-fees.js';
import { amountInput, micros } from '../../http/schema/amounts.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idInput, timeInput } from '../../http/schema/schemas.js';

export interface BillingServices {
  readonly account: BillingAccount;
  readonly balances: Balances;
  readonly plans: PlanService;
  readonly reportedUsage: ReportedUsage;
  readonly numberFees: Pick<NumberFeeCharging, 'page'>;
}

const TAG = 'Billing';

const capsOutput = z.strictObject({
  day_sar: sar.nullable().describe('Limit per day, Riyadh time; null for no limit'),
  month_sar: sar.nullable().describe('Limit per calendar month, Riyadh time; null for no limit'),
});

const account = z
  .strictObject({
    billing: z
      .enum(['postpaid', 'prepaid'])
      .describe('`prepaid`: calls are paid from the balance and refused when it is empty'),
    rate_plan: z.string().nullable(),
    pool_balance_sar: sar.describe('Funds of the organization that are not allocated to any project'),
    balance_sar: sar.describe('Balance of the project; a negative balance is owed'),
    held_sar: sar.describe('Amount reserved for live calls and for messages that are not sent yet'),
    spend_caps: capsOutput,
    spent_sar: z.strictObject({ day: sar, month: sar }),
    currency: CURRENCY,
  })
  .meta({ id: 'BillingAccount' });

const ratePlan = z
  .strictObject({
    rate_plan: z.string(),
    version: z.int(),
    valid_from: timeOutput,
    rates: z.array(
      z.strictObject({
        direction: z.enum(CALL_DIRECTIONS),
        kind: z.enum(CALL_KINDS).nullable().describe('Null applies to every kind'),
        prefix: z.string().describe('Prefix of the E.164 number without the plus sign; the longest match applies'),
        per_minute_sar: sar,
        increment_seconds: z.int(),
        minimum_seconds: z.int(),
      }),
    ),
    number_fees: z
      .array(
        z.strictObject({
          kind: z.enum(OWNABLE_KINDS).nullable().describe('Null applies to every kind'),
          prefix: z.string().describe('Prefix of the number as in `rates`; the longest match applies'),
          monthly_sar: sar,
        }),
      )
      .describe('Charged for each month of a number, in advance'),
    message_rates: z
      .array(
        z.strictObject({
          channel: z.enum(CHANNELS),
          prefix: z.string().describe('Prefix of the recipient’s number as in `rates`; the longest match applies'),
          per_segment_sar: sar,
        }),
      )
      .describe('Charged for each segment of a message when it is sent'),
    currency: CURRENCY,
  })
  .meta({ id: 'RatePlan' });

const ledgerLine = z
  .strictObject({
    id: idOutput,
    kind: z.string().meta({ examples: ['call', 'allocation', 'usage', 'number_fee'] }),
    reference: z
      .string()
      .describe('For a call, the call ID; empty for a call of the platform itself, such as one that speaks a code'),
    note: z.string().nullable(),
    amount_sar: sar.describe('Negative for spending; up to six decimals'),
    created_at: timeOutput,
  })
  .meta({ id: 'LedgerLine' });

const usageEvent = z
  .strictObject({
    id: idOutput,
    event_id: z.string(),
    type: z.string(),
    quantity: z.int(),
    unit_price_sar: sar,
    amount_sar: sar,
    occurred_at: timeOutput,
    created_at: timeOutput,
  })
  .meta({ id: 'UsageEvent' });

function present(state: BillingAccountState): z.output<typeof account> {
  const orNull = (amount: number | null): number | null => (amount === null ? null : sarNumber(amount));
  return {
    billing: state.mode,
    rate_plan: state.planName,
    pool_balance_sar: sarNumber(state.pool),
    balance_sar: sarNumber(state.balance),
    held_sar: sarNumber(state.held),
    spend_caps: { day_sar: orNull(state.caps.day), month_sar: orNull(state.caps.month) },
    spent_sar: { day: sarNumber(state.spent.day), month: sarNumber(state.spent.month) },
    currency: 'SAR',
  };
}

export function billingRoutes({
  account: accounts,
  balances,
  plans,
  reportedUsage,
  numberFees,
}: BillingServices): Route[] {
  const reading = { method: 'GET', tag: TAG, scope: 'billing:read', keyKind: 'any' } as const;
  const writing = { tag: TAG, scope: 'billing:write', keyKind: 'live' } as const;
  return [
    route({
      ...reading,
      path: '/v1/billing',
      operationId: 'getBilling',
      summary: 'Get the project’s account',
      summaryAr: 'حالة حساب المشروع',
      description:
        'Amounts are rounded to halalas. A call is deducted from the balance within seconds of its end. The sandbox costs nothing: a sandbox key sees an empty account.',
      responses: { 200: { schema: account, description: 'Balance, spending caps and spending' } },
      errors: [],
      handler: async ({ caller }) => ({
        status: 200,
        body: present(caller.sandbox ? SANDBOX_ACCOUNT : await accounts.read(caller.organization.id, caller.projectId)),
      }),
    }),
    route({
      ...reading,
      path: '/v1/billing/rate-plan',
      operationId: 'getRatePlan',
      summary: 'Get the rate plan',
      summaryAr: 'أسعار المكالمات',
      description:
        'The rates in force now. The rate with the longest matching prefix applies to a leg; a rate for the leg’s kind takes precedence over a rate for every kind. Duration is rounded up to a whole increment. The plan of a sandbox key has no rates.',
      responses: { 200: { schema: ratePlan, description: 'The rates' } },
      errors: ['RATE_PLAN_NOT_FOUND'],
      handler: async ({ caller }) => {
        const { plan, version } = caller.sandbox ? SANDBOX_PLAN : await plans.current(caller.organization.id);
        const rates = version.rates.map((rate) => ({
          direction: rate.direction,
          kind: rate.kind,
          prefix: rate.prefix,
          per_minute_sar: exactSarNumber(rate.perMinute),
          increment_seconds: rate.incrementSeconds,
          minimum_seconds: rate.minimumSeconds,
        }));
        const number_fees = version.numberFees.map(({ kind, prefix, monthly }) => {
          return { kind, prefix, monthly_sar: exactSarNumber(monthly) };
        });
        const message_rates = version.messageRates.map(({ channel, prefix, perSegment }) => {
          return { channel, prefix, per_segment_sar: exactSarNumber(perSegment) };
        });
        const { version: number, valid_from } = version;
        const prices = { rates, number_fees, message_rates };
        const body = { rate_plan: plan.name, version: number, valid_from: isoTime(valid_from), ...prices };
        return { status: 200, body: { ...body, currency: 'SAR' as const } };
      },
    }),
    route({
      ...reading,
      path: '/v1/billing/ledger',
      operationId: 'listLedger',
      summary: 'List the account’s transactions',
      summaryAr: 'حركات حساب المشروع',
      description: 'Newest first; none for a sandbox key.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(ledgerLine), description: 'One page' } },
      errors: [],
      handler: async ({ caller, query: { cursor, limit }, cursors }) => {
        const page = { before: cursors.read(cursor), limit: limit + 1 };
        const lines = caller.sandbox ? [] : await balances.lines(caller.organization.id, caller.projectId, page);
        const body = cursorPage(
          lines,
          limit,
          cursors,
          ({ id }) => id,
          ({ id, kind, reference, note, amount, created_at }) => {
            return { id, kind, reference, note, amount_sar: exactSarNumber(amount), created_at: isoTime(created_at) };
          },
        );
        return { status: 200, body };
      },
    }),
    numberFeesRoute(numberFees),
    route({
      ...writing,
      method: 'PUT',
      path: '/v1/billing/spend-caps',
      operationId: 'setSpendCaps',
      summary: 'Set the project’s spending caps',
      summaryAr: 'تحديد سقف إنفاق المشروع',
      description:
        'The `usage.threshold` event is sent at 80 and 100 percent of a cap. Once a cap is reached, new calls are refused with `SPEND_CAP_EXCEEDED`; live calls are not cut off.',
      body: z.strictObject({ day_sar: amountInput(2, 0).nullable(), month_sar: amountInput(2, 0).nullable() }),
      auditFields: ['day_sar', 'month_sar'],
      responses: { 200: { schema: account, description: 'The account with its new caps' } },
      errors: [],
      handler: async ({ caller, body: { day_sar, month_sar } }) => {
        await accounts.setCaps({
          project_id: caller.projectId,
          day: day_sar === null ? null : micros(day_sar),
          month: month_sar === null ? null : micros(month_sar),
        });
        return { status: 200, body: present(await accounts.read(caller.organization.id, caller.projectId)) };
      },
    }),
    route({
      ...writing,
      method: 'POST',
      path: '/v1/billing/allocations',
      operationId: 'allocateBalance',
      summary: 'Allocate funds from the organization’s pool to the project',
      summaryAr: 'تخصيص رصيد للمشروع من رصيد المؤسسة',
      description:
        'A negative amount returns funds to the pool, except funds reserved for live calls. A key allocates to its own project only.',
      body: z.strictObject({
        project_id: idInput.describe('The project of the key'),
        amount_sar: amountInput(2, -1_000_000_000).refine(
          (amount) => amount !== 0,
          bilingual('must not be 0', 'يجب ألا يكون صفرًا'),
        ),
      }),
      auditFields: ['project_id', 'amount_sar'],
      responses: { 201: { schema: account, description: 'The account of the project' } },
      errors: ['PROJECT_NOT_FOUND_FOR_ALLOCATION', 'INSUFFICIENT_POOL_BALANCE', 'INSUFFICIENT_PROJECT_BALANCE'],
      handler: async ({ caller, body: { project_id, amount_sar } }) => {
        if (project_id !== caller.projectId) throw new HatifError('PROJECT_NOT_FOUND_FOR_ALLOCATION', { project_id });
        await balances.allocate(caller.organization.id, project_id, micros(amount_sar));
        return { status: 201, body: present(await accounts.read(caller.organization.id, project_id)) };
      },
    }),
    route({
      ...writing,
      method: 'POST',
      path: '/v1/usage/events',
      operationId: 'addUsageEvent',
      summary: 'Report usage other than calls',
      summaryAr: 'تسجيل استخدام غير المكالمات',
      description:
        'Idempotent on `event_id`: repeated reports of the same event are charged to the project’s account once.',
      body: z.strictObject({
        event_id: z.string().regex(/^[\w.:-]{1,255}$/),
        type: z
          .string()
          .regex(/^[a-z0-9_.-]{1,64}$/)
          .meta({ examples: ['sms.segment'] }),
        quantity: z.int().min(1).max(1_000_000_000),
        unit_price_sar: amountInput(6, 0),
        occurred_at: timeInput().optional().describe('Defaults to now'),
      }),
      auditFields: ['event_id', 'type', 'quantity', 'unit_price_sar'],
      responses: { 201: { schema: usageEvent, description: 'The usage event as recorded' } },
      errors: ['DUPLICATE_USAGE_EVENT'],
      handler: async ({ caller, body }) => {
        const row = await reportedUsage.add(
          { organizationId: caller.organization.id, projectId: caller.projectId },
          {
            eventId: body.event_id,
            type: body.type,
            quantity: body.quantity,
            unitPrice: micros(body.unit_price_sar),
            occurredAt: body.occurred_at,
          },
        );
        return {
          status: 201,
          body: {
            id: row.id,
            event_id: row.event_id,
            type: row.type,
            quantity: row.quantity,
            unit_price_sar: exactSarNumber(row.unit_price),
            amount_sar: exactSarNumber(row.amount),
            occurred_at: isoTime(row.occurred_at),
            created_at: isoTime(row.created_at),
          },
        };
      },
    }),
  ];
}
