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

/** The organization and project that pay. */
export interface Payer {
  readonly organizationId: string;
  readonly projectId: string;
}

/** A leg of a live call that was answered and is charged for. */
export interface MeteredLeg extends Omit<RatedLeg, 'seconds'> {
  readonly answeredAt: Date;
  readonly endedAt: Date | null;
}

/** How long a call is prepaid. */
export interface Grant {
  readonly until: Date;
  /** No money remains beyond `until`. */
  readonly isLast: boolean;
}

/** Calls are prepaid this far ahead. `CallMeter` renews the hold every minute, half a minute before it runs out. */
const PREPAID_AHEAD_MS = 90_000;
/** How long an organization's billing profile is cached. */
const PROFILE_CACHE_MS = 5_000;
/** A hold without a live call is released after this time: its call was never created. */
const STALE_MS = 60_000;

/**
 * Decides what a project may still spend: it checks the spend caps and, for a prepaid organization, the project's
 * balance minus the holds of its live calls.
 */
export class Credit {
  readonly #profiles = new Map<string, { readonly profile: BillingProfileRow; readonly readAtMs: number }>();

  constructor(private readonly options: CreditOptions) {}

  /**
   * Checks that a call may be placed now.
   * @throws HatifError SPEND_CAP_EXCEEDED, INSUFFICIENT_CREDITS
   */
  async check(payer: Payer, leg: Omit<RatedLeg, 'seconds'>): Promise<void> {
    await this.#checkCaps(payer.projectId);
    const profile = await this.#profile(payer.organizationId);
    if (profile.mode !== 'prepaid') return;
    const { db } = this.options;
    await this.#assertCovered(payer, await this.#first(profile, leg), db, null, false);
  }

  /**
   * Holds the cost of the first billing unit of a call that is about to be placed, so that two calls never spend the
   * same money.
   * @throws HatifError INSUFFICIENT_CREDITS
   */
  async hold(callId: string, payer: Payer, leg: Omit<RatedLeg, 'seconds'>): Promise<void> {
    const profile = await this.#profile(payer.organizationId);
    if (profile.mode !== 'prepaid') return;
    const first = await this.#first(profile, leg);
    const { db, holds, clock } = this.options;
    await db.transaction(async (tx) => {
      await this.#assertCovered(payer, first, tx, callId, true);
      await holds.put(tx, callId, payer.projectId, first, clock.now());
    });
  }

  /** Extends the hold of a live call. @returns null if the call is postpaid or free */
  async extend(callId: string, payer: Payer, legs: readonly MeteredLeg[]): Promise<Grant | null> {
    const profile = await this.#profile(payer.organizationId);
    if (profile.mode !== 'prepaid') return null;
    const { db, holds, clock } = this.options;
    return db.transaction(async (tx) => {
      const priced = await this.#priced(profile, legs, tx);
      if (priced.every(({ rate }) => rate === null || rate.perMinute === 0)) return null;
      const now = clock.now();
      const horizon = new Date(now.getTime() + PREPAID_AHEAD_MS);
      const free = await this.#free(payer, tx, callId, true);
      const until = affordableUntil(priced, free, now, horizon);
      await holds.put(tx, callId, payer.projectId, costAt(priced, until), now);
      return { until, isLast: until < horizon };
    });
  }

  /** Releases holds whose calls were never created or have failed. */
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

  async #assertCovered(
    payer: Payer,
    first: MicroSar,
    on: Queryable,
    callId: string | null,
    lock: boolean,
  ): Promise<void> {
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

  /** The cost of the shortest possible call. */
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
    const cached = this.#profiles.get(organizationId);
    const nowMs = clock.monotonicMs();
    if (cached && nowMs - cached.readAtMs < PROFILE_CACHE_MS) return cached.profile;
    const profile = await plans.profile(organizationId);
    this.#profiles.set(organizationId, { profile, readAtMs: nowMs });
    return profile;
  }
}
