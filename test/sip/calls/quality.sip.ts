import type { CallObject } from '../../../core/model/objects/call.js';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { withPlatform } from '../../support/platform/with-platform.js';

describe('the quality of calls on the running platform', () => {
  let stage: TestPlatform;
  let talkers: TrunkTalkers;

  withPlatform(async (made) => {
    stage = made;
    talkers = await TrunkTalkers.at(stage);
  });

  /** Both ends were heard, and nothing was lost on this machine. */
  const expectMeasured = ({ legs }: CallObject, role: string): void => {
    const measured = legs.find(({ leg }) => leg === role)?.quality;
    expect(measured, role).to.include({ codec: 'alaw' });
    expect(measured?.packets_received, role).to.be.above(20);
    expect(measured?.packets_sent, role).to.be.above(20);
    expect(measured?.loss_share, role).to.be.below(0.02);
    expect(measured?.mos, role).to.be.within(4, 4.5);
  };

  /** The call, when the last of its legs is over too. */
  const allOver = async (callId: string): Promise<CallObject> => {
    await stage.over(callId);
    await stage.charges(callId);
    return stage.read(callId);
  };

  /** Of the process: how many legs had a score. */
  const scored = async (): Promise<number> => {
    const text = await (await fetch(`${stage.url}/metrics`)).text();
    return Number(/^hatif_leg_mos_count\{engine="asterisk"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };

  it('is shown with each ended leg, sent with the end event, and counted', async () => {
    const { callId, ...ends } = await talkers.conversation();
    expect((await stage.read(callId)).legs.map(({ quality }) => quality)).to.deep.equal([null, null]);
    await stage.hangup(callId);
    await talkers.closed(ends);
    const over = await allOver(callId);
    for (const role of ['customer', 'agent']) expectMeasured(over, role);
    const { data } = await stage.told(callId, 'call.ended');
    expectMeasured(data as unknown as CallObject, 'customer');
    await eventually(async () => (await scored()) === 2, 'two legs are counted');
  });

  it('is known for a call that another process started', async () => {
    const { callId, ...ends } = await talkers.conversation();
    await stage.halt();
    await stage.resume();
    await stage.adopted(callId);
    await talkers.carrier.hangup(ends.atCarrier);
    await talkers.closed(ends);
    const over = await allOver(callId);
    for (const role of ['customer', 'agent']) expectMeasured(over, role);
  });

  it('stays unknown for an unanswered leg', async () => {
    const callId = await talkers.place();
    await talkers.carrier.reject(await talkers.carrier.incoming());
    expect((await stage.over(callId)).legs.map(({ quality }) => quality)).to.deep.equal([null]);
  });
});
