import { expect } from 'chai';
import { allowSipTarget } from '../../support/rows/sip-targets.js';
import { talk } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { CUSTOMER, TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const COLLEAGUE = '+966559876543';

describe('calls that are connected to another party', () => {
  let stage: TestPlatform;
  let talkers: TrunkTalkers;
  let agent: Baresip;
  let carrier: Baresip;

  withPlatform(async (made) => {
    stage = made;
    talkers = await TrunkTalkers.at(stage);
    ({ agent, carrier } = talkers);
  });

  const entryOf = async (callId: string, type: string): Promise<Record<string, unknown> | undefined> =>
    (await stage.timeline(callId)).find((entry) => entry.type === type)?.data;

  /** Calls the customer behind the trunk, who answers. */
  async function customerAnswers(json: object): Promise<{ callId: string; id: string }> {
    const { call_id: callId } = await stage.call({ to: CUSTOMER, ...json });
    const id = await carrier.incoming();
    await carrier.answer(id);
    return { callId, id };
  }

  it('an agent: each hears the other and not themselves; either can hang up for both', async () => {
    for (const byAgent of [true, false]) {
      const { callId, id } = await customerAnswers({ connect: { type: 'agent', target: '1001' } });
      const ringing = await agent.incoming();
      expect(agent.call(ringing).peer).to.contain(CUSTOMER);
      await agent.answer(ringing);
      await talkers.talk({ atCarrier: id, atAgent: ringing });
      const live = await stage.read(callId);
      expect(live).to.include({ status: 'answered', agent: '1001' });
      expect(live.legs.map(({ leg, status }) => `${leg} ${status}`)).to.deep.equal([
        'customer answered',
        'agent answered',
      ]);
      await (byAgent ? agent.hangup(ringing) : carrier.hangup(id));
      await Promise.all([carrier.closed(id), agent.closed(ringing)]);
      expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
    }
  });

  it('a number behind the trunk, to which the line number is shown', async () => {
    const { call_id: callId } = await stage.call({
      to: stage.agent('1001').number,
      connect: { type: 'number', target: COLLEAGUE },
    });
    const first = await agent.incoming();
    await agent.answer(first);
    const second = await carrier.incoming();
    expect(carrier.call(second).peer).to.contain(stage.demo.lineNumber);
    await carrier.answer(second);
    await talkers.talk({ atCarrier: second, atAgent: first });
    await agent.hangup(first);
    await carrier.closed(second);
    await stage.over(callId);
    const charges = await stage.charges(callId);
    expect(charges.map(({ number, direction }) => [number, direction])).to.deep.equal([[COLLEAGUE, 'outbound']]);
  });

  it('a SIP address', async () => {
    const peer = await stage.phone({ user: 'peer', source: { toneHz: 1200 } });
    const json = { to: CUSTOMER, connect: { type: 'sip', target: peer.uri } };
    const { status, body } = await stage.request('POST', '/v1/calls', { json });
    const [detail] = body?.details as { path: string }[];
    expect([status, body?.error_code, detail?.path]).to.deep.equal([400, 'VALIDATION_ERROR', 'connect.target']);
    const [, address = ''] = peer.uri.split('@');
    await allowSipTarget(stage.platform.stores.db, address);
    const { callId, id } = await customerAnswers({ connect: { type: 'sip', target: peer.uri } });
    const ringing = await peer.incoming();
    await peer.answer(ringing);
    await talk({ phone: carrier, hz: 900, callId: id }, { phone: peer, hz: 1200, callId: ringing });
    await stage.hangup(callId);
    await Promise.all([carrier.closed(id), peer.closed(ringing)]);
    await stage.over(callId);
    const charges = await stage.charges(callId);
    expect(charges.map(({ number, direction }) => [number, direction])).to.have.deep.members([
      [CUSTOMER, 'outbound'],
      [null, 'outbound'],
    ]);
  });

  it('a busy agent: the platform hangs up on the customer', async () => {
    const { callId, id } = await customerAnswers({ connect: { type: 'agent', target: '1001' } });
    await agent.reject(await agent.incoming());
    await carrier.closed(id);
    expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
    const ended = (await stage.timeline(callId)).find(({ type, data }) => type === 'leg.ended' && data.leg === 'agent');
    expect(ended?.data).to.include({ q850: 17, sip_code: 486 });
  });

  it('an agent who is not registered: no phone rings and the platform hangs up on the customer', async () => {
    // Test files share Asterisk, which may still have other files' softphones registered.
    await stage.newAgent('1904');
    const { callId, id } = await customerAnswers({ connect: { type: 'agent', target: '1904' } });
    await carrier.closed(id);
    expect(await stage.over(callId)).to.include({ status: 'ended', agent: '1904' });
    expect(await entryOf(callId, 'leg.refused')).to.include({ leg: 'agent', kind: 'rejected' });
  });

  it('an agent, but the customer hangs up first: the softphone stops ringing', async () => {
    const { callId, id } = await customerAnswers({ connect: { type: 'agent', target: '1001' } });
    const ringing = await agent.incoming();
    await carrier.hangup(id);
    await agent.closed(ringing);
    expect(agent.call(ringing).establishedAt).to.equal(null);
    const over = await stage.over(callId);
    expect(over).to.include({ status: 'ended', disposition: 'answered' });
  });

  it('an agent, but the customer is busy: the agent is never rung', async () => {
    const callId = await talkers.place();
    await carrier.reject(await carrier.incoming());
    expect(await stage.over(callId)).to.include({ status: 'missed', disposition: 'busy', agent: null });
    expect(await stage.charges(callId)).to.deep.equal([]);
  });
});
