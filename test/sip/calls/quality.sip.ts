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

  /** Expects packets in both directions and no loss on this machine. */
  const expectMeasured = ({ legs }: CallObject, role: string): void => {
    const measured = legs.find(({ leg }) => leg === role)?.quality;
    expect(measured, role).to.include({ codec: 'alaw' });
    expect(measured?.packets_received, role).to.be.above(20);
    expect(measured?.packets_sent, role).to.be.above(20);
    expect(measured?.loss_share, role).to.be.below(0.02);
    expect(measured?.mos, role).to.be.within(4, 4.5);
  };

  /** Returns the call after its last leg has ended and is charged. */
  const chargedCall = async (callId: string): Promise<CallObject> => {
    await stage.over(callId);
    await stage.charges(callId);
    return stage.read(callId);
  };

  /** Returns how many legs of this process had a MOS. */
  const scored = async (): Promise<number> => {
    const text = await (await fetch(`${stage.url}/metrics`)).text();
    return Number(/^hatif_leg_mos_count\{engine="asterisk"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };

  it('is shown with each ended leg, sent with the end event, and counted in the metrics', async () => {
    const { callId, ...ends } = await talkers.conversation();
    expect((await stage.read(callId)).legs.map(({ quality }) => quality)).to.deep.equal([null, null]);
    await stage.hangup(callId);
    await talkers.closed(ends);
    const over = await chargedCall(callId);
    for (const role of ['customer', 'agent']) expectMeasured(over, role);
    const { data } = await stage.receivedEvent(callId, 'call.ended');
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
    const over = await chargedCall(callId);
    for (const role of ['customer', 'agent']) expectMeasured(over, role);
  });

  it('stays unknown for an unanswered leg', async () => {
    const callId = await talkers.place();
    await talkers.carrier.reject(await talkers.carrier.incoming());
    expect((await stage.over(callId)).legs.map(({ quality }) => quality)).to.deep.equal([null]);
  });
});
