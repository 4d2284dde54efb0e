import type { Database, Queryable } from '../../data/database.js';
import type { CallHolds } from '../../data/repositories/billing/call-holds.js';
import type { Ledger } from '../../data/repositories/billing/ledger.js';
import type { RatePlans } from '../../data/repositories/billing/rate-plans.js';
import type { Ratings } from '../../data/repositories/billing/ratings.js';
import type { BillingProfileRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { formatSar, type MicroSar } from '../../model/money.js';
import { costAt, affordableUntil, type PricedLeg } from '../../model/rating/affordable.js';
import { costOf, type RatedLeg } from '../../model/rating/rate.js';
import { riyadhDay } from '../../model/riyadh.js';
import type { Clock } from '../../ports/clock.js';
import { RatePlanCache } from './plan-cache.js';

export interface CreditOptions {
  readonly db: Database;
  readonly plans: RatePlans;
  readonly ratings: Ratings;
  readonly ledger: Ledger;
  readonly holds: CallHolds;
  readonly clock: Clock;
}

/** Whose money it is. */
export interface Payer {
  readonly organizationId: string;
  readonly projectId: string;
}

/** A leg of a live call that was answered and costs money. */
export interface MeteredLeg extends Omit<RatedLeg, 'seconds'> {
  readonly answeredAt: Date;
  readonly endedAt: Date | null;
}

/** Until when a call is paid. */
export interface Grant {
  readonly until: Date;
  /** There is no money for more. */
  readonly isLast: boolean;
}

/** Calls are paid a minute ahead, and asked again for half a minute before that is over. */
const AHEAD_MS = 90_000;
/** So long the way in which an organization pays may be a little out of date. */
const PROFILE_FRESH_MS = 5_000;
/** A call that was held for and is not there after this time never came to be. */
const STALE_MS = 60_000;

/** What a project may yet spend: its caps, and, where calls are paid before, its balance less what its live calls are paid ahead. */
export class Credit {
  readonly #profiles = new Map<string, { readonly profile: BillingProfileRow; readonly readAtMs: number }>();

  constructor(private readonly options: CreditOptions) {}

  /**
   * Whether a call may be placed now.
   * @throws HatifError SPEND_CAP_EXCEEDED, INSUFFICIENT_CREDITS
   */
  async check(payer: Payer, leg: Omit<RatedLeg, 'seconds'>): Promise<void> {
    await this.#checkCaps(payer.projectId);
    const profile = await this.#profile(payer.organizationId);
    if (profile.mode !== 'prepaid') return;
    const { db } = this.options;
    await this.#covers(payer, await this.#first(profile, leg), db, null, false);
  }

  /**
   * Pay the beginning of a call ahead that is about to be placed: two calls never count on the same money.
   * @throws HatifError INSUFFICIENT_CREDITS
   */
  async hold(callId: string, payer: Payer, leg: Omit<RatedLeg, 'seconds'>): Promise<void> {
    const profile = await this.#profile(payer.organizationId);
    if (profile.mode !== 'prepaid') return;
    const first = await this.#first(profile, leg);
    const { db, holds, clock } = this.options;
    await db.transaction(async (tx) => {
      await this.#covers(payer, first, tx, callId, true);
      await holds.put(tx, callId, payer.projectId, first, clock.now());
    });
  }

  /** Pay a live call ahead for another while. @returns null for a call that is paid for later, or costs nothing */
  async extend(callId: string, payer: Payer, legs: readonly MeteredLeg[]): Promise<Grant | null> {
    const profile = await this.#profile(payer.organizationId);
    if (profile.mode !== 'prepaid') return null;
    const { db, holds, clock } = this.options;
    return db.transaction(async (tx) => {
      const priced = await this.#priced(profile, legs, tx);
      if (priced.every(({ rate }) => rate === null || rate.perMinute === 0)) return null;
      const now = clock.now();
      const horizon = new Date(now.getTime() + AHEAD_MS);
      const free = await this.#free(payer, tx, callId, true);
      const until = affordableUntil(priced, free, now, horizon);
      await holds.put(tx, callId, payer.projectId, costAt(priced, until), now);
      return { until, isLast: until < horizon };
    });
  }

  /** What is held for calls that never came to be, or came to nothing, is free again. */
  sweep(): Promise<void> {
    return this.options.holds.removeStale(new Date(this.options.clock.now().getTime() - STALE_MS));
  }

  async #checkCaps(projectId: string): Promise<void> {
    const { ratings, clock } = this.options;
    const [caps] = await ratings.caps([projectId]);
    if (!caps) return;
    const { of_day, of_month } = await ratings.spent(projectId, riyadhDay(clock.now()));
    for (const [spent, cap] of [
      [of_day, caps.day],
      [of_month, caps.month],
    ] as const) {
      if (cap !== null && spent >= cap) throw new HatifError('SPEND_CAP_EXCEEDED', { cap_sar: formatSar(cap) });
    }
  }

  async #covers(payer: Payer, first: MicroSar, on: Queryable, callId: string | null, lock: boolean): Promise<void> {
    const free = await this.#free(payer, on, callId, lock);
    if (free <= 0 || free < first) throw new HatifError('INSUFFICIENT_CREDITS');
  }

  async #free(
    { organizationId, projectId }: Payer,
    on: Queryable,
    callId: string | null,
    lock: boolean,
  ): Promise<MicroSar> {
    const { ledger, holds } = this.options;
    const balance = await ledger.balance(organizationId, { type: 'project', projectId }, on, lock);
    return balance - (await holds.sum(projectId, on, callId));
  }

  /** What the shortest talk costs. */
  async #first({ plan_id }: BillingProfileRow, leg: Omit<RatedLeg, 'seconds'>): Promise<MicroSar> {
    const { plans, db, clock } = this.options;
    const rate = await new RatePlanCache(plans, db).rateOf(plan_id, clock.now(), leg);
    return rate ? costOf(rate, 1).amount : 0;
  }

  async #priced({ plan_id }: BillingProfileRow, legs: readonly MeteredLeg[], tx: Queryable): Promise<PricedLeg[]> {
    const planCache = new RatePlanCache(this.options.plans, tx);
    const priced: PricedLeg[] = [];
    for (const leg of legs) {
      const rate = await planCache.rateOf(plan_id, leg.answeredAt, leg);
      priced.push({ rate, answeredAt: leg.answeredAt, endedAt: leg.endedAt });
    }
    return priced;
  }

  async #profile(organizationId: string): Promise<BillingProfileRow> {
    const { plans, clock } = this.options;
    const known = this.#profiles.get(organizationId);
    const nowMs = clock.monotonicMs();
    if (known && nowMs - known.readAtMs < PROFILE_FRESH_MS) return known.profile;
    const profile = await plans.profile(organizationId);
    this.#profiles.set(organizationId, { profile, readAtMs: nowMs });
    return profile;
  }
}
