import type { MessageRate } from '../../core/model/rating/message-rate.js';
import type { RatePlanVersion } from '../../core/data/repositories/billing/rate-plans.js';
import type { RatePlanRow } from '../../core/data/rows.js';
import { exactSarNumber, microsFromSar, type MicroSar } from '../../core/model/money.js';
import type { NumberFee } from '../../core/model/rating/number-fee.js';
import type { Rate } from '../../core/model/rating/rate.js';
import { fromSar, reader, toWire, type InSar, type Wire } from '../../core/model/wire.js';
import type { BillingAccountState } from '../../core/services/billing/account.js';
import type { RatingDifference, RatingReport } from '../../core/services/billing/rerating.js';
import type { BillingPort } from '../common/platform.js';
import { segment, type AdminClient } from './client.js';

interface ListedAccount {
  readonly billing: BillingAccountState['mode'];
  readonly rate_plan: string;
  readonly has_own_rate_plan: boolean;
  readonly pool_balance_sar: number;
  readonly balance_sar: number;
  readonly held_sar: number;
  readonly spend_caps: { readonly day_sar: number | null; readonly month_sar: number | null };
  readonly spent_sar: { readonly day: number; readonly month: number };
}

type ListedRate = Omit<Rate, 'perMinute' | 'incrementSeconds' | 'minimumSeconds'> & {
  readonly per_minute_sar: number;
  readonly increment_seconds: number;
  readonly minimum_seconds: number;
};
type ListedFee = Omit<NumberFee, 'monthly'> & { readonly monthly_sar: number };

interface ListedVersion {
  readonly id: string;
  readonly plan_id: string;
  readonly version: number;
  readonly valid_from: string;
  readonly created_at: string;
  readonly rates: readonly ListedRate[];
  readonly number_fees: readonly ListedFee[];
  readonly message_rates: readonly (Omit<MessageRate, 'perSegment'> & { readonly per_segment_sar: number })[];
}

type ListedReport = Omit<InSar<RatingReport, 'was' | 'would_be'>, 'differences'> & {
  readonly differences: readonly InSar<RatingDifference, 'was' | 'would_be'>[];
};

const readPlan = reader<RatePlanRow>({ created_at: true });

/** Rates, balances and spending caps. */
export function remoteBilling(client: AdminClient): BillingPort {
  const projectPath = (projectId: string, what: string): string => `/projects/${segment(projectId)}/${what}`;
  const organizationPath = (id: string, what: string): string => `/organizations/${segment(id)}/${what}`;
  const planPath = (name: string): string => `/rate-plans/${segment(name)}`;
  return {
    plans: {
      list: async () => (await client.get<{ data: Wire<RatePlanRow>[] }>('/rate-plans')).data.map(readPlan),
      newest: async (name) => {
        const { newest } = await client.get<{ newest: ListedVersion | null }>(planPath(name));
        return newest && versionFrom(newest);
      },
      add: async (name, rates, validFrom, onProgress, numberFees = [], messageRates = []) => {
        const body = {
          rates: rates.map(({ perMinute, incrementSeconds, minimumSeconds, ...rate }) => ({
            ...rate,
            per_minute_sar: exactSarNumber(perMinute),
            increment_seconds: incrementSeconds,
            minimum_seconds: minimumSeconds,
          })),
          number_fees: numberFees.map(({ monthly, ...fee }) => ({ ...fee, monthly_sar: exactSarNumber(monthly) })),
          message_rates: messageRates.map(({ perSegment, ...rate }) => {
            return { ...rate, per_segment_sar: exactSarNumber(perSegment) };
          }),
          valid_from: toWire(validFrom),
        };
        const { version } = await client.send<{ version: number }>('POST', `${planPath(name)}/versions`, body);
        onProgress?.(rates.length);
        return { version };
      },
      assign: async (organization_id, name) => {
        await client.send('POST', `${planPath(name)}/assign`, { organization_id });
      },
      setMode: async (organizationId, mode) => {
        await client.send('PUT', organizationPath(organizationId, 'billing-mode'), { mode });
      },
    },
    balances: {
      pool: async (organizationId) =>
        micros(
          (await client.get<{ pool_balance_sar: number }>(organizationPath(organizationId, 'pool'))).pool_balance_sar,
        ),
      project: async (_organizationId, projectId) =>
        micros((await client.get<ListedAccount>(projectPath(projectId, 'billing'))).balance_sar),
      topUp: async (organizationId, amount, reference, note) => {
        const body = { amount_sar: exactSarNumber(amount), reference, note };
        return (await client.send<{ booked: boolean }>('POST', organizationPath(organizationId, 'top-ups'), body))
          .booked;
      },
      allocate: async (_organizationId, projectId, amount) => {
        await client.send('POST', projectPath(projectId, 'allocations'), { amount_sar: exactSarNumber(amount) });
      },
    },
    account: {
      read: async (_organizationId, projectId) =>
        accountFrom(await client.get<ListedAccount>(projectPath(projectId, 'billing'))),
      setCaps: async ({ project_id, day, month }) => {
        const body = { day_sar: day && exactSarNumber(day), month_sar: month && exactSarNumber(month) };
        await client.send('PUT', projectPath(project_id, 'spend-caps'), body);
      },
    },
    compareRatings: async (from, to) => reportFrom(await client.get<ListedReport>('/ratings/comparison', { from, to })),
    bookRatings: async (from, to) =>
      reportFrom(await client.send<ListedReport>('POST', '/ratings/corrections', { from, to })),
  };
}

function versionFrom({
  rates,
  number_fees,
  message_rates,
  valid_from,
  created_at,
  id,
  plan_id,
  version,
}: ListedVersion): RatePlanVersion {
  return {
    ...{ id, plan_id, version, valid_from: new Date(valid_from), created_at: new Date(created_at) },
    rates: rates.map(({ direction, kind, prefix, per_minute_sar, increment_seconds, minimum_seconds }) => ({
      ...{ direction, kind, prefix, perMinute: micros(per_minute_sar) },
      ...{ incrementSeconds: increment_seconds, minimumSeconds: minimum_seconds },
    })),
    numberFees: number_fees.map(({ kind, prefix, monthly_sar }) => ({ kind, prefix, monthly: micros(monthly_sar) })),
    messageRates: message_rates.map(({ channel, prefix, per_segment_sar }) => {
      return { channel, prefix, perSegment: micros(per_segment_sar) };
    }),
  };
}

function accountFrom(account: ListedAccount): BillingAccountState {
  const { spend_caps: caps, spent_sar: spent } = account;
  const orNull = (amount: number | null): MicroSar | null => (amount === null ? null : micros(amount));
  return {
    mode: account.billing,
    planName: account.rate_plan,
    hasOwnPlan: account.has_own_rate_plan,
    pool: micros(account.pool_balance_sar),
    balance: micros(account.balance_sar),
    held: micros(account.held_sar),
    caps: { day: orNull(caps.day_sar), month: orNull(caps.month_sar) },
    spent: { day: micros(spent.day), month: micros(spent.month) },
  };
}

function reportFrom({ differences, ...sums }: ListedReport): RatingReport {
  const { calls, was, would_be } = fromSar<Omit<RatingReport, 'differences'>, 'was' | 'would_be'>(
    sums,
    'was',
    'would_be',
  );
  return {
    ...{ calls, was, would_be },
    differences: differences.map((each) => fromSar<RatingDifference, 'was' | 'would_be'>(each, 'was', 'would_be')),
  };
}

function micros(sar: number): MicroSar {
  return microsFromSar(String(sar));
}
