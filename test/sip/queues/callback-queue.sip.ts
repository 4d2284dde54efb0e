import { expect } from 'chai';
import type { MemberObject } from '../../../core/services/queues/read.js';
import { loudSeconds } from '../../support/judges/audio.js';
import { eventually } from '../../support/eventually.js';
import { hears, hearsMore, talk } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { AGENT_HZ, CARRIER_HZ, CUSTOMER } from '../../support/calls/trunk-talkers.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const COLLEAGUE_HZ = 1200;

describe('callbacks of a queue', () => {
  let stage: TestPlatform;
  let agent: Baresip;
  let colleague: Baresip;
  let carrier: Baresip;
  let sales: string;

  withPlatform(async (made) => {
    stage = made;
    agent = await stage.softphone('1001', { source: { toneHz: AGENT_HZ } });
    colleague = await stage.softphone('1002', { source: { toneHz: COLLEAGUE_HZ } });
    carrier = await stage.carrier({ source: { toneHz: CARRIER_HZ } });
    const usual = { wrap_up_seconds: 0, unavailable_seconds: 2 };
    sales = String((await request('POST', '/v1/queues', { ...usual, name: 'sales', max_wait_seconds: 30 })).id);
    const later = { ...usual, name: 'later', callback_mode: 'customer_first' };
    await request('POST', '/v1/queues', later);
    await setLogin('login', '1001', 'sales');
  });

  async function request(method: string, path: string, json?: object): Promise<Record<string, unknown>> {
    const answer = await stage.request(method, path, json && { json });
    expect(answer.status, answer.text).to.be.within(200, 202);
    return answer.body ?? {};
  }
  const setLogin = (how: 'login' | 'logout', who: string, queue: string) =>
    request('POST', `/v1/queues/agents/${how}`, { agent: who, queue });
  const callBack = async (queue = 'sales'): Promise<string> =>
    String((await request('POST', '/v1/callback', { to: CUSTOMER, from_queue: queue })).callback_id);
  const statusOf = async (callId: string) => (await request('GET', `/v1/callbacks/${callId}`)).status;
  const becomes = (who: string, state: MemberObject['state'], queue = 'sales') =>
    eventually(async () => {
      const { data } = await request('GET', `/v1/queues/members?queue=${queue}`);
      return (data as readonly MemberObject[]).some((member) => member.agent === who && member.state === state);
    }, `${who} is ${state}`);

  it('ring the agent, then the customer while the agent hears ringback, and connect the two', async () => {
    const callId = await callBack();
    const atAgent = await agent.incoming();
    expect(agent.call(atAgent).peer).to.contain(CUSTOMER);
    expect(await statusOf(callId)).to.equal('initiated');
    expect([...carrier.calls.values()]).to.deep.equal([]);
    await agent.answer(atAgent);
    const atCarrier = await carrier.incoming();
    expect(carrier.call(atCarrier).peer).to.contain(stage.demo.lineNumber);
    await agent.waitToHear((audio) => loudSeconds(audio) > 0.3, { callId: atAgent });
    expect(await statusOf(callId)).to.equal('ringing');
    await becomes('1001', 'busy');
    await carrier.answer(atCarrier);
    await talk({ phone: carrier, hz: CARRIER_HZ, callId: atCarrier }, { phone: agent, hz: AGENT_HZ, callId: atAgent });
    await carrier.hangup(atCarrier);
    await agent.closed(atAgent);
    expect(await stage.over(callId)).to.include({
      kind: 'callback',
      status: 'ended',
      agent: '1001',
      queue_id: sales,
      served_queue_id: sales,
    });
    await becomes('1001', 'idle');
  });

  it('go to the next agent when one refuses', async () => {
    await becomes('1001', 'idle');
    await setLogin('login', '1002', 'sales');
    const callId = await callBack();
    await agent.reject(await agent.incoming());
    const atColleague = await colleague.incoming();
    await colleague.answer(atColleague);
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    await talk(
      { phone: carrier, hz: CARRIER_HZ, callId: atCarrier },
      { phone: colleague, hz: COLLEAGUE_HZ, callId: atColleague },
    );
    await colleague.hangup(atColleague);
    await carrier.closed(atCarrier);
    expect(await stage.over(callId)).to.include({ status: 'ended', agent: '1002' });
    await setLogin('logout', '1002', 'sales');
  });

  it('are cancelled while the agent’s phone rings; it stops and the agent is available again', async () => {
    await becomes('1001', 'idle');
    const callId = await callBack();
    const atAgent = await agent.incoming();
    const { body } = await stage.request('DELETE', `/v1/callbacks/${callId}`);
    expect([body?.status, body?.disposition]).to.deep.equal(['cancelled', 'cancelled']);
    await agent.closed(atAgent);
    expect(await stage.over(callId)).to.include({ status: 'cancelled' });
    await becomes('1001', 'idle');
    const next = await callBack();
    const again = await agent.incoming();
    await stage.request('DELETE', `/v1/callbacks/${next}`);
    await agent.closed(again);
  });

  it('hang up the agent when the customer is busy', async () => {
    await becomes('1001', 'idle');
    const callId = await callBack();
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await carrier.reject(await carrier.incoming());
    await agent.closed(atAgent);
    expect(await stage.over(callId)).to.include({ status: 'missed', disposition: 'busy' });
  });

  it('end when no agent answers in time', async () => {
    await setLogin('logout', '1001', 'sales');
    await request('PATCH', `/v1/queues/${sales}`, { max_wait_seconds: 5 });
    const callId = await callBack();
    const over = await stage.over(callId);
    expect(over).to.include({ status: 'timeout', disposition: 'queue_timeout' });
    // Never earlier; a busy machine may be a little late.
    expect(over.queued_seconds).to.be.within(5, 10);
  });

  it('ring the customer first if the queue is configured so; the customer then waits with music', async () => {
    const callId = await callBack('later');
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    await carrier.waitToHear((audio) => loudSeconds(audio) > 0.5, { callId: atCarrier });
    expect(await statusOf(callId)).to.equal('answered');
    await setLogin('login', '1001', 'later');
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await talk({ phone: carrier, hz: CARRIER_HZ, callId: atCarrier }, { phone: agent, hz: AGENT_HZ, callId: atAgent });
    await carrier.hangup(atCarrier);
    await agent.closed(atAgent);
    expect(await stage.over(callId)).to.include({ status: 'ended', agent: '1001' });
  });

  it('let the agent hear the carrier’s audio before and after the answer', async () => {
    await request('PATCH', `/v1/queues/${sales}`, { max_wait_seconds: 60 });
    await setLogin('login', '1001', 'sales');
    await becomes('1001', 'idle');
    // The carrier echoes audio from its 183 response on.
    await stage.sippCarrier({ scenario: 'uas-early-media', pauseMs: 8_000, echo: true });
    const callId = await callBack();
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await agent.waitToHear(hears(AGENT_HZ), { callId: atAgent });
    expect(await statusOf(callId)).to.equal('ringing');
    await stage.receivedEvent(callId, 'call.answered');
    await hearsMore(agent, atAgent, AGENT_HZ, 0.5);
    await agent.hangup(atAgent);
    expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
  });
});
