import type { AccountKind } from '../../data/rows.js';
import type { CallScope } from '../../data/repositories/calls/calls.js';
import type { Usage, UsageSums } from '../../data/repositories/billing/usage.js';
import { CALL_STATUSES } from '../../model/call/call.js';
import { sarNumber } from '../../model/money.js';
import { isoTime } from '../../model/time.js';
import { riyadhTime } from '../../model/riyadh.js';
import { minutesOf, sliceUsage, type UsageGroup } from '../../model/usage.js';

/** The calls to count, and the kind of the organization's account. */
export interface UsageScope extends CallScope {
  readonly accountKind: AccountKind;
}

/** Creation times, both inclusive; `from` must not be later than `to`. */
export interface UsageQuery {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** An unknown queue matches nothing. */
  readonly queueId?: string | undefined;
  readonly groupBy?: UsageGroup | undefined;
}

interface UsageFigures {
  readonly total_calls: number;
  readonly calls_answered: number;
  readonly calls_missed: number;
  readonly total_minutes: number;
  readonly estimated_cost_sar: number;
}

export interface UsageObject {
  readonly data: UsageFigures & { readonly currency: 'SAR' };
  readonly period: { readonly from: string | null; readonly to: string | null } | null;
  readonly groups?: (UsageFigures & { readonly key: string })[];
}

/** Reads usage for the API. */
export class ReadUsage {
  constructor(private readonly usage: Usage) {}

  async read({ accountKind, ...scope }: UsageScope, query: UsageQuery): Promise<UsageObject> {
    const { from, to, queueId, groupBy } = query;
    const { whole, groups } = await this.usage.sums(scope, {
      slices: sliceUsage(from, to, groupBy !== 'hour'),
      queueId,
      groupBy,
    });
    // Sandbox accounts are never charged, whatever the plan says.
    const figures = (sums: UsageSums): UsageFigures => figuresOf(sums, accountKind !== 'sandbox');
    const isAllTime = from === undefined && to === undefined;
    return {
      data: { ...figures(whole), currency: 'SAR' },
      period: isAllTime ? null : { from: isoTime(from ?? null), to: isoTime(to ?? null) },
      ...(groupBy !== undefined && { groups: sortGroups(groupBy, groups, figures) }),
    };
  }
}

function figuresOf({ total, answered, missed, seconds, cost }: UsageSums, isPaid: boolean): UsageFigures {
  return {
    total_calls: total,
    calls_answered: answered,
    calls_missed: missed,
    total_minutes: minutesOf(seconds),
    estimated_cost_sar: isPaid ? sarNumber(cost) : 0,
  };
}

/** Times oldest first, statuses in the order of a call's life, queues by id. */
function sortGroups(
  groupBy: UsageGroup,
  groups: readonly UsageSums[],
  figures: (sums: UsageSums) => UsageFigures,
): (UsageFigures & { readonly key: string })[] {
  const results = groups.map((group) => ({
    key: group.key instanceof Date ? riyadhTime(group.key) : String(group.key),
    ...figures(group),
  }));
  const statuses: readonly string[] = CALL_STATUSES;
  return groupBy === 'status' ? results.sort((a, b) => statuses.indexOf(a.key) - statuses.indexOf(b.key)) : results;
}
