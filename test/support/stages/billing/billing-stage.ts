import { expect } from 'chai';
import { CallWriter, type CallEffect } from '../../../../core/data/call-writer.js';
import type { Database } from '../../../../core/data/database.js';
import { CallHolds } from '../../../../core/data/repositories/billing/call-holds.js';
import { Ledger } from '../../../../core/data/repositories/billing/ledger.js';
import { Projects } from '../../../../core/data/repositories/accounts/projects.js';
import { RatePlans } from '../../../../core/data/repositories/billing/rate-plans.js';
import { Ratings } from '../../../../core/data/repositories/billing/ratings.js';
import { UsageEvents } from '../../../../core/data/repositories/billing/usage-events.js';
import type { CallRow, ChargeRow, LegRow } from '../../../../core/data/rows.js';
import { newId } from '../../../../core/model/ids.js';
import type { NumberFee } from '../../../../core/model/rating/number-fee.js';
import type { Rate } from '../../../../core/model/rating/rate.js';
import { systemClock, type Clock } from '../../../../core/ports/clock.js';
import { BillingAccount } from '../../../../core/services/billing/account.js';
import { Balances } from '../../../../core/services/billing/balances.js';
import { Credit } from '../../../../core/services/billing/credit.js';
import { PlanService } from '../../../../core/services/billing/plans.js';
import { CallRating } from '../../../../core/services/billing/rating.js';
import { NumberFees } from '../../../../core/data/repositories/billing/number-fees.js';
import { NumberFeeCharging } from '../../../../core/services/billing/number-fees.js';
import { Spending } from '../../../../core/services/billing/spending.js';
import { ReportedUsage } from '../../../../core/services/billing/reported-usage.js';
import type { BillingServices } from '../../../../api/routes/billing/billing.js';
import { stageEach } from '../../each.js';
import { callRow, effectOf, groundIn, legRow, type Ground } from '../../rows/rows.js';

/** 12 halalas a minute, rounded up to whole minutes. */
export const RATE: Rate = {
  direction: 'outbound',
  kind: null,
  prefix: '',
  perMinute: 120_000,
  incrementSeconds: 60,
  minimumSeconds: 0,
};

export interface FinishedLeg {
  readonly seconds: number;
  readonly number?: string;
  readonly answeredAt?: Date;
}

/** The service that rates calls, as in another process. */
export function raterOn(db: Database, wake: (lanes: readonly string[]) => void = () => undefined): CallRating {
  const [plans, ratings, clock] = [new RatePlans(db), new Ratings(db), systemClock];
  const spending = new Spending(ratings, clock);
  return new CallRating({
    db,
    plans,
    ratings,
    ledger: new Ledger(db),
    holds: new CallHolds(db),
    spending,
    clock,
    wake,
  });
}

/** A production organization with one project, a writer of calls and the services that bill them. */
export class BillingStage {
  readonly plans: RatePlans;
  readonly planService: PlanService;
  readonly ratings: Ratings;
  readonly ledger: Ledger;
  readonly holds: CallHolds;
  readonly balances: Balances;
  readonly credit: Credit;
  readonly rating: CallRating;
  readonly writer: CallWriter;
  readonly billing: BillingServices;
  readonly numberFees: NumberFeeCharging;
  /** Lanes that were woken. */
  readonly woken: string[] = [];

  private constructor(
    readonly db: Database,
    /** The URL of the database. */
    readonly url: string,
    readonly ground: Ground,
  ) {
    const clock = systemClock;
    this.plans = new RatePlans(db);
    this.planService = new PlanService({ plans: this.plans, clock });
    this.ratings = new Ratings(db);
    this.ledger = new Ledger(db);
    this.holds = new CallHolds(db);
    this.balances = new Balances({ db, ledger: this.ledger, holds: this.holds, projects: new Projects(db), clock });
    this.credit = new Credit({
      db,
      plans: this.plans,
      ratings: this.ratings,
      ledger: this.ledger,
      holds: this.holds,
      clock,
    });
    this.writer = new CallWriter(db);
    this.rating = this.rater();
    const usageDeps = { db, usageEvents: new UsageEvents(db), ledger: this.ledger, clock, wake: this.#wake };
    this.numberFees = this.feeCharging(clock);
    this.billing = {
      plans: this.planService,
      numberFees: this.numberFees,
      balances: this.balances,
      account: new BillingAccount({
        plans: this.plans,
        ratings: this.ratings,
        holds: this.holds,
        balances: this.balances,
        clock,
      }),
      reportedUsage: new ReportedUsage({ ...usageDeps, spending: new Spending(this.ratings, clock) }),
    };
  }

  /** @param ground a new one by default */
  static async on(db: Database, url: string, ground?: Ground): Promise<BillingStage> {
    return new BillingStage(db, url, ground ?? (await groundIn(db)));
  }

  /** A service that charges fees of numbers, as in another process. */
  feeCharging(clock: Clock): NumberFeeCharging {
    const { db, plans, ledger, ratings } = this;
    const spending = new Spending(ratings, clock);
    return new NumberFeeCharging({ db, fees: new NumberFees(db), plans, ledger, spending, clock, wake: this.#wake });
  }

  /** A rater as in another process. */
  rater(): CallRating {
    return raterOn(this.db, this.#wake);
  }

  readonly #wake = (lanes: readonly string[]): void => void this.woken.push(...lanes);

  /** Creates a plan and assigns it to the organization. @returns the plan's unique name */
  async plan(
    rates: readonly Rate[] = [RATE],
    validFrom = new Date(0),
    numberFees: readonly NumberFee[] = [],
  ): Promise<string> {
    const name = `plan-${newId()}`;
    await this.planService.add(name, rates, validFrom, undefined, numberFees);
    await this.planService.assign(this.ground.organizationId, name);
    return name;
  }

  /** Writes an ended call with these legs and a charge for each. */
  async finished(legs: readonly FinishedLeg[], changes: Partial<CallRow> = {}): Promise<CallRow> {
    const effect = this.effect(legs, changes);
    await this.writer.commit(effect);
    return effect.call;
  }

  /** The effect that {@link finished} writes. By default, the call was created when its first leg was answered. */
  effect(legs: readonly FinishedLeg[], changes: Partial<CallRow> = {}): CallEffect {
    const answers = legs
      .map(({ answeredAt = new Date() }) => answeredAt)
      .sort((one, other) => Number(one) - Number(other));
    const created_at = answers[0] ?? new Date();
    const ended = { status: 'ended', answered_at: new Date(), ended_at: new Date() } as const;
    const call = callRow(this.ground, { created_at, ...ended, ...changes });
    const rows = legs.map(({ seconds, number = '+966501234517', answeredAt = new Date() }) =>
      legRow(call.id, {
        number,
        status: 'ended',
        answered_at: answeredAt,
        ended_at: new Date(answeredAt.getTime() + seconds * 1000),
      }),
    );
    return effectOf(call, { events: [], legs: rows, charges: rows.map((leg) => chargeOf(call, leg)) });
  }

  async close(): Promise<void> {
    await this.writer.idle();
    // In every test: money is neither created nor lost, and a balance is the sum of its entries.
    const [sums] = await this.db.query<{ whole: number; wrong: number }>(
      `SELECT coalesce(sum(balance), 0)::bigint AS whole,
         count(*) FILTER (WHERE balance <> (SELECT coalesce(sum(amount), 0) FROM ledger_entries WHERE account_id = account.id)) AS wrong
       FROM ledger_accounts AS account`,
    );
    expect(sums).to.deep.equal({ whole: 0, wrong: 0 });
  }
}

function chargeOf(call: CallRow, leg: LegRow): ChargeRow {
  return {
    id: newId(),
    leg_id: leg.id,
    call_id: call.id,
    project_id: call.project_id,
    sandbox: call.sandbox,
    direction: call.direction,
    kind: call.kind,
    number: leg.number,
    started_at: leg.answered_at!,
    seconds: Math.round((leg.ended_at!.getTime() - leg.answered_at!.getTime()) / 1000),
    created_at: leg.ended_at!,
  };
}

/** For a `describe`: a new stage for each test, on one database for all tests. */
export function billingEach(use: (stage: BillingStage) => void): void {
  stageEach(
    ({ db, url }) => BillingStage.on(db, url),
    use,
    (stage) => stage.close(),
  );
}
