import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Rate } from '../../../core/model/rating/rate.js';
import type { CallLegs, MeteredLeg } from '../../../core/services/billing/credit.js';
import { billingEach, RATE, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { refusal } from '../../support/judges/refusal.js';

const LEG = { direction: 'outbound', kind: 'outbound', number: '+966501234567' } as const;
/** A tenth of a riyal per second, billed by the second. */
const BY_SECONDS: Rate = { ...RATE, perMinute: 6_000_000, incrementSeconds: 1 };

describe('The credit of a prepaid project', () => {
  let stage: BillingStage;
  const payer = () => stage.ground;

  billingEach((made) => (stage = made));
  beforeEach(() => stage.planService.setMode(stage.ground.organizationId, 'prepaid'));

  async function give(amount: number): Promise<void> {
    const { organizationId, projectId } = stage.ground;
    await stage.balances.topUp(organizationId, amount, newId(), null);
    await stage.balances.allocate(organizationId, projectId, amount);
  }
  const held = (): Promise<number> => stage.holds.sum(stage.ground.projectId);
  const answered = (secondsAgo: number, changes: Partial<MeteredLeg> = {}): MeteredLeg => ({
    ...LEG,
    answeredAt: new Date(Date.now() - secondsAgo * 1000),
    endedAt: null,
    ...changes,
  });

  const live = (legs: readonly MeteredLeg[]): CallLegs => ({ answered: legs, unanswered: [] });

  it('allows no call with a balance of zero, but one whose first unit it covers', async () => {
    await stage.plan();
    expect(await refusal(stage.credit.check(payer(), LEG))).to.match(/does not cover/);
    await give(119_999);
    expect(await refusal(stage.credit.check(payer(), LEG))).to.match(/does not cover/);
    await give(1);
    await stage.credit.check(payer(), LEG);
  });

  it('is held for only as many of several concurrent calls as it can pay', async () => {
    await stage.plan();
    await give(3 * 120_000 + 60_000);
    const holds = await Promise.allSettled(Array.from({ length: 12 }, () => stage.credit.hold(newId(), payer(), LEG)));
    expect(holds.filter(({ status }) => status === 'fulfilled')).to.have.length(3);
    expect(await held()).to.equal(360_000);
    expect(await refusal(stage.credit.check(payer(), LEG))).to.match(/does not cover/);
  });

  it('prepays a call, and returns the time until which it is paid', async () => {
    await stage.plan([BY_SECONDS]);
    await give(20_000_000);
    const first = answered(10);
    const grant = await stage.credit.extend(newId(), payer(), live([first]));
    expect(grant?.isLast).to.equal(false);
    // 10 s plus the duration of the test are used, 90 s are prepaid.
    const prepaid = await held();
    const usedMs = Date.now() - first.answeredAt.getTime();
    expect(prepaid).to.be.within(9_900_000, 100_000 * (usedMs / 1000 + 91));

    const second = answered(60);
    const other = await stage.credit.extend(newId(), payer(), live([second]));
    expect(other?.isLast).to.equal(true);
    // How long the remaining balance lasts from the answer; started seconds are billed, and the end is rounded down.
    const lastsMs = other!.until.getTime() - second.answeredAt.getTime();
    expect(lastsMs).to.be.within((20_000_000 - prepaid) / 100 - 3_000, (20_000_000 - prepaid) / 100 + 1_000);
    expect(await held()).to.be.within(19_800_000, 20_000_000);
  });

  it('counts every charged leg, including legs that have ended', async () => {
    await stage.plan([BY_SECONDS]);
    await give(9_000_000);
    const ended = answered(40, { endedAt: new Date(Date.now() - 20_000) });
    const one = answered(10);
    const grant = await stage.credit.extend(newId(), payer(), live([ended, one, answered(10)]));
    // The first leg used 2 of 9 riyals; the other legs use two tenths per second, starting ten seconds ago.
    expect(grant?.isLast).to.equal(true);
    expect(grant!.until.getTime() - one.answeredAt.getTime()).to.be.within(33_000, 36_000);
  });

  it('ends a call at once if it cannot be paid at all', async () => {
    await stage.plan([BY_SECONDS]);
    const grant = await stage.credit.extend(newId(), payer(), live([answered(1)]));
    expect(grant?.isLast).to.equal(true);
    expect(grant!.until.getTime()).to.be.at.most(Date.now());
  });

  it('is released once the call is rated or has failed', async () => {
    await stage.plan();
    await give(1_000_000);
    const call = stage.effect([{ seconds: 30 }]);
    await stage.credit.hold(call.call.id, payer(), LEG);
    await stage.writer.commit(call);
    await stage.rating.rate();
    expect(await held()).to.equal(0);
    expect(await stage.balances.project(stage.ground.organizationId, stage.ground.projectId)).to.equal(880_000);

    const [missed, live, never] = [
      await stage.finished([], { status: 'missed', answered_at: null }),
      await stage.finished([], { status: 'ringing', answered_at: null, ended_at: null }),
      { id: newId() },
    ];
    for (const { id } of [missed, live, never]) await stage.credit.hold(id, payer(), LEG);
    await stage.credit.sweep();
    expect(await held(), 'just now').to.equal(360_000);
    await stage.db.query(`UPDATE call_holds SET created_at = created_at - interval '61 seconds'`);
    await stage.credit.sweep();
    expect(await held(), 'only for the live call').to.equal(120_000);
  });

  it('does not allow returning money to the pool that a call may need', async () => {
    await stage.plan();
    await give(200_000);
    await stage.credit.hold(newId(), payer(), LEG);
    const { organizationId, projectId } = stage.ground;
    expect(await refusal(stage.balances.allocate(organizationId, projectId, -100_000))).to.match(/0\.08 SAR/);
  });

  it('is not checked for postpaid organizations', async () => {
    await stage.plan();
    await stage.planService.setMode(stage.ground.organizationId, 'postpaid');
    await stage.credit.check(payer(), LEG);
    await stage.credit.hold(newId(), payer(), LEG);
    expect(await stage.credit.extend(newId(), payer(), live([answered(1)]))).to.equal(null);
    expect(await held()).to.equal(0);
  });
});

describe('A spend cap', () => {
  let stage: BillingStage;
  billingEach((made) => (stage = made));

  it('rejects calls once it is reached, per day and per month', async () => {
    await stage.plan();
    const { projectId: project_id } = stage.ground;
    const check = (): Promise<void> => stage.credit.check(stage.ground, LEG);
    await stage.ratings.setCaps({ project_id, day: 240_000, month: null });
    await stage.finished([{ seconds: 60 }]);
    await stage.rating.rate();
    await check();
    await stage.finished([{ seconds: 60 }]);
    await stage.rating.rate();
    expect(await refusal(check())).to.match(/spend cap of 0\.24 SAR/);
    await stage.ratings.setCaps({ project_id, day: null, month: 250_000 });
    await check();
    await stage.ratings.setCaps({ project_id, day: null, month: 230_000 });
    expect(await refusal(check())).to.match(/0\.23 SAR/);
  });
});
