import type { Database, Queryable } from '../../data/database.js';
import { DatabaseUnavailable } from '../../data/errors.js';
import type { CallHolds } from '../../data/repositories/billing/call-holds.js';
import type { Ledger } from '../../data/repositories/billing/ledger.js';
import type { RatePlans } from '../../data/repositories/billing/rate-plans.js';
import type { Ratings } from '../../data/repositories/billing/ratings.js';
import type { BillingProfileRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { formatSar, type MicroSar } from '../../model/money.js';
import { costAt, affordableUntil, type PricedLeg } from '../../model/rating/affordable.js';
import { costOf, type Rate, type RatedLeg } from '../../model/rating/rate.js';
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

/** A leg whose charge is not known yet: it was not answered. */
export type UnansweredLeg = Omit<RatedLeg, 'seconds'>;

/** The legs of a live call that are charged for. */
export interface CallLegs {
  readonly answered: readonly MeteredLeg[];
  /** Legs that ring, or are about to. */
  readonly unanswered: readonly UnansweredLeg[];
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
  #prices: { readonly cache: RatePlanCache; readonly readAtMs: number } | null = null;
  /** Projects that had neither a spend cap nor a balance to watch when they were last looked up. */
  readonly #unlimited = new Set<string>();

  constructor(private readonly options: CreditOptions) {}

  /**
   * Checks that a leg may be dialled now. Holds nothing.
   * @throws HatifError SPEND_CAP_EXCEEDED, INSUFFICIENT_CREDITS
   */
  async check(payer: Payer, leg: UnansweredLeg): Promise<void> {
    const profile = await this.#checkCaps(payer);
    if (profile.mode !== 'prepaid') return;
    const { db } = this.options;
    const first = await this.#first(profile, [leg], db);
    const free = await this.#free(payer, db, null, false);
    if (free <= 0 || free < first) throw new HatifError('INSUFFICIENT_CREDITS');
  }

  /**
   * Checks that a live call may dial one more leg, and holds the cost of the leg's first billing unit beside that of the
   * call's other legs. While the database is unavailable, only a project that was seen without cap and balance dials on.
   * @throws HatifError SPEND_CAP_EXCEEDED, INSUFFICIENT_CREDITS; DatabaseUnavailable
   */
  async admit(callId: string, payer: Payer, leg: UnansweredLeg, others: CallLegs): Promise<void> {
    try {
      const profile = await this.#checkCaps(payer);
      if (profile.mode === 'prepaid') await this.#hold(profile, callId, payer, leg, others);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || !this.#unlimited.has(payer.projectId)) throw error;
    }
  }

  /**
   * Checks that the project can pay an incoming leg, if it costs anything. @throws as {@link check}
   */
  async checkIncoming(payer: Payer, leg: UnansweredLeg): Promise<void> {
    const { db } = this.options;
    const profile = await this.#profile(payer.organizationId);
    if ((await this.#first(profile, [leg], db)) > 0) await this.check(payer, leg);
  }

  /**
   * Holds the cost of the first billing unit of a call that is about to be placed, so that two calls never spend the
   * same money.
   * @throws HatifError INSUFFICIENT_CREDITS
   */
  async hold(callId: string, payer: Payer, leg: UnansweredLeg): Promise<void> {
    const profile = await this.#profile(payer.organizationId);
    if (profile.mode === 'prepaid') await this.#hold(profile, callId, payer, leg, { answered: [], unanswered: [] });
  }

  /**
   * Checks that the project can pay an amount for something other than a call. Its balance is locked until the end of the
   * transaction, which stores the amount as held.
   * @throws HatifError SPEND_CAP_EXCEEDED, INSUFFICIENT_CREDITS
   */
  async admitAmount(tx: Queryable, payer: Payer, amount: MicroSar): Promise<void> {
    // All by this connection: transactions that have all of them would wait for one more.
    const profile = await this.#checkCaps(payer, tx);
    if (profile.mode !== 'prepaid') return;
    const free = await this.#free(payer, tx, null, true);
    if (free <= 0 || free < amount) throw new HatifError('INSUFFICIENT_CREDITS');
  }

  /** What a minute of the leg costs now, as of the last seconds; null if it is free. */
  async priceOf(organizationId: string, leg: UnansweredLeg): Promise<Rate | null> {
    const { plans, clock, db } = this.options;
    const { plan_id } = await this.#profile(organizationId);
    const nowMs = clock.monotonicMs();
    if (this.#prices === null || nowMs - this.#prices.readAtMs >= PROFILE_CACHE_MS) {
      this.#prices = { cache: new RatePlanCache(plans, db), readAtMs: nowMs };
    }
    try {
      return await this.#prices.cache.rateOf(plan_id, clock.now(), leg);
    } catch (error) {
      // A failed read is not cached.
      this.#prices = null;
      throw error;
    }
  }

  /** Releases the hold of a call that costs nothing, because nobody answered. */
  release(callId: string): Promise<void> {
    return this.options.holds.remove([callId]);
  }

  /** Extends the hold of a live call. @returns null if the call is postpaid or free */
  async extend(callId: string, payer: Payer, { answered, unanswered }: CallLegs): Promise<Grant | null> {
    const profile = await this.#profile(payer.organizationId);
    if (profile.mode !== 'prepaid') return null;
    const { db, holds, clock } = this.options;
    return db.transaction(async (tx) => {
      const priced = await this.#priced(profile, answered, tx);
      if (priced.every(({ rate }) => rate === null || rate.perMinute === 0)) return null;
      const now = clock.now();
      const horizon = new Date(now.getTime() + PREPAID_AHEAD_MS);
      const ringing = await this.#first(profile, unanswered, tx);
      const free = (await this.#free(payer, tx, callId, true)) - ringing;
      const until = affordableUntil(priced, free, now, horizon);
      await holds.put(tx, callId, payer.projectId, costAt(priced, until) + ringing, now);
      return { until, isLast: until < horizon };
    });
  }

  /** Releases holds whose calls were never created or have failed. */
  sweep(): Promise<void> {
    return this.options.holds.removeStale(new Date(this.options.clock.now().getTime() - STALE_MS));
  }

  /** @returns the profile of the organization @throws HatifError SPEND_CAP_EXCEEDED */
  async #checkCaps({ organizationId, projectId }: Payer, on: Queryable = this.options.db): Promise<BillingProfileRow> {
    const { ratings, clock } = this.options;
    const profile = await this.#profile(organizationId, on);
    const [caps] = await ratings.caps([projectId], on);
    const isUnlimited = profile.mode === 'postpaid' && (caps?.day ?? null) === null && (caps?.month ?? null) === null;
    if (isUnlimited) this.#unlimited.add(projectId);
    else this.#unlimited.delete(projectId);
    if (!caps) return profile;
    const { of_day, of_month } = await ratings.spent(projectId, riyadhDay(clock.now()), on);
    for (const [spent, cap] of [
      [of_day, caps.day],
      [of_month, caps.month],
    ] as const) {
      if (cap !== null && spent >= cap) throw new HatifError('SPEND_CAP_EXCEEDED', { cap_sar: formatSar(cap) });
    }
    return profile;
  }

  async #hold(
    profile: BillingProfileRow,
    callId: string,
    payer: Payer,
    leg: UnansweredLeg,
    { answered, unanswered }: CallLegs,
  ): Promise<void> {
    const { db, holds, clock } = this.options;
    await db.transaction(async (tx) => {
      const now = clock.now();
      const used = costAt(await this.#priced(profile, answered, tx), now);
      const needed = used + (await this.#first(profile, [...unanswered, leg], tx));
      const free = await this.#free(payer, tx, callId, true);
      if (free <= used || free < needed) throw new HatifError('INSUFFICIENT_CREDITS');
      await holds.raise(tx, callId, payer.projectId, needed, now);
    });
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

  /** What the legs cost at least, once they are answered. */
  async #first({ plan_id }: BillingProfileRow, legs: readonly UnansweredLeg[], on: Queryable): Promise<MicroSar> {
    const planCache = new RatePlanCache(this.options.plans, on);
    let sum = 0;
    for (const leg of legs) {
      const rate = await planCache.rateOf(plan_id, this.options.clock.now(), leg);
      sum += rate ? costOf(rate, 1).amount : 0;
    }
    return sum;
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

  async #profile(organizationId: string, on: Queryable = this.options.db): Promise<BillingProfileRow> {
    const { plans, clock } = this.options;
    const cached = this.#profiles.get(organizationId);
    const nowMs = clock.monotonicMs();
    if (cached && nowMs - cached.readAtMs < PROFILE_CACHE_MS) return cached.profile;
    const profile = await plans.profile(organizationId, on);
    this.#profiles.set(organizationId, { profile, readAtMs: nowMs });
    return profile;
  }
}
