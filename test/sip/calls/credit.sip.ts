import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { Balances } from '../../../core/services/billing/balances.js';
import { PlanService } from '../../../core/services/billing/plans.js';
import { toneSeconds } from '../../support/judges/audio.js';
import { eventually } from '../../support/eventually.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { CUSTOMER, TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { withPlatform } from '../../support/platform/with-platform.js';

/** In micro-riyals: one riyal a second, charged by the second. */
const PER_MINUTE = 60_000_000;
const BEEP_HZ = 1000;

describe('prepaid calls', function () {
  this.timeout(120_000);
  let stage: TestPlatform;
  let talkers: TrunkTalkers;
  let balances: Balances;

  withPlatform(async (made) => {
    stage = made;
    talkers = await TrunkTalkers.at(stage);
    const { db, ledger, ratePlans: plans, callHolds: holds, projects } = stage.platform.stores;
    balances = new Balances({ db, ledger, holds, projects, clock: systemClock });
    const service = new PlanService({ plans, clock: systemClock });
    const rate = { direction: 'outbound', kind: null, prefix: '', perMinute: PER_MINUTE } as const;
    await service.add('by-seconds', [{ ...rate, incrementSeconds: 1, minimumSeconds: 0 }], new Date(0));
    const [project] = await projects.list();
    await service.assign(project!.organization_id, 'by-seconds');
    await service.setMode(project!.organization_id, 'prepaid');
  });

  async function addCredit(sar: number): Promise<void> {
    const [project] = await stage.platform.stores.projects.list();
    await balances.topUp(project!.organization_id, sar * 1_000_000, newId(), null);
    await balances.allocate(project!.organization_id, project!.id, sar * 1_000_000);
  }

  const balance = async (): Promise<number> => {
    const [project] = await stage.platform.stores.projects.list();
    return (await balances.project(project!.organization_id, project!.id)) / 1_000_000;
  };

  it('are refused without credit', async () => {
    const json = { to: CUSTOMER, connect: { type: 'agent', target: '1001' } };
    const { status, body } = await stage.request('POST', '/v1/calls', { json });
    expect([status, body?.error_code]).to.deep.equal([402, 'INSUFFICIENT_CREDITS']);
  });

  it('warn both parties with a tone, end before the credit runs out, and are charged to the credit', async () => {
    await addCredit(16);
    const { callId, atCarrier, atAgent } = await talkers.conversation();
    await Promise.all([talkers.carrier.closed(atCarrier, 30_000), talkers.agent.closed(atAgent, 30_000)]);
    const over = await stage.over(callId);
    expect(over.status).to.equal('ended');
    // The credit pays for 16 seconds.
    expect(over.duration_seconds).to.be.within(12, 16);
    const types = (await stage.timeline(callId)).map(({ type }) => type);
    expect(types).to.include.members(['credit.low', 'credit.exhausted']);
    expect(toneSeconds(talkers.carrier.heard(atCarrier), BEEP_HZ), 'the customer').to.be.above(0.1);
    expect(toneSeconds(talkers.agent.heard(atAgent), BEEP_HZ), 'the agent').to.be.above(0.1);
    await eventually(async () => (await balance()) < 16, 'the call is rated');
    expect(await balance()).to.equal(16 - over.duration_seconds!);
  });
});
