import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { loudSeconds } from '../../support/judges/audio.js';
import { talk } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import { AGENT_HZ, CUSTOMER, type TrunkTalkers } from '../../support/calls/trunk-talkers.js';

const CALLER_HZ = 1400;

describeFreeswitch('queues with FreeSWITCH only', () => {
  let stage: FreeswitchStage;
  let talkers: TrunkTalkers;
  let agent: Baresip;
  let caller: Baresip;

  before(async function () {
    this.timeout(180_000);
    stage = await FreeswitchStage.start();
    talkers = await stage.application.talkers(stage.carrierPort);
    agent = talkers.agent;
    caller = await stage.application.softphone(1, CALLER_HZ);
  });
  after(() => stage.close());

  async function post(path: string, json: object): Promise<void> {
    const answer = await stage.application.request('POST', path, json);
    expect(answer.status, answer.text).to.be.within(200, 201);
  }

  it('keep a caller after one rejection, and connect the agent who answers', async () => {
    await post('/v1/queues', { name: 'sales', dial_code: '501', unavailable_seconds: 1, wrap_up_seconds: 0 });
    const id = await caller.dial('501');
    await caller.waitFor('CALL_ESTABLISHED', { callId: id });
    await post('/v1/queues/agents/login', { agent: '1001', queue: 'sales' });
    await agent.reject(await agent.incoming());
    const ringing = await agent.incoming();
    await agent.answer(ringing);
    await talk({ phone: caller, hz: CALLER_HZ, callId: id }, { phone: agent, hz: AGENT_HZ, callId: ringing });
    await caller.hangup(id);
    await agent.closed(ringing);
    const { body } = await stage.application.request('GET', '/v1/calls?limit=1');
    const [call] = body?.data as [{ readonly call_id: string }];
    expect(await stage.application.becomes(call.call_id, 'ended')).to.include({ agent: '1001' });
    const member = async () =>
      ((await stage.application.request('GET', '/v1/queues/members')).body?.data as [{ readonly state: string }])[0];
    await eventually(async () => (await member()).state === 'idle', 'the agent is free again');
  });

  it('call a customer back: the agent first, who hears ringback', async () => {
    const { carrier } = talkers;
    const { body } = await stage.application.request('POST', '/v1/callback', { to: CUSTOMER, from_queue: 'sales' });
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    const atCarrier = await carrier.incoming();
    await agent.waitToHear((audio) => loudSeconds(audio) > 0.3, { callId: atAgent });
    await carrier.answer(atCarrier);
    await talkers.talk({ atCarrier, atAgent });
    await carrier.hangup(atCarrier);
    await agent.closed(atAgent);
    expect(await stage.application.becomes(String(body?.callback_id), 'ended')).to.include({ agent: '1001' });
  });

  it('call the customer first if configured so, and cancel a callback while the agent’s phone rings', async () => {
    const { carrier } = talkers;
    const cancelled = await stage.application.request('POST', '/v1/callback', { to: CUSTOMER, from_queue: 'sales' });
    const ringing = await agent.incoming();
    const path = `/v1/callbacks/${String(cancelled.body?.callback_id)}`;
    const { body } = await stage.application.request('DELETE', path);
    expect(body).to.include({ status: 'cancelled', disposition: 'cancelled' });
    await agent.closed(ringing);
    await post('/v1/queues', { name: 'later', callback_mode: 'customer_first' });
    await post('/v1/queues/agents/logout', { agent: '1001', queue: 'sales' });
    const requested = await stage.application.request('POST', '/v1/callback', { to: CUSTOMER, from_queue: 'later' });
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    await post('/v1/queues/agents/login', { agent: '1001', queue: 'later' });
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await talkers.talk({ atCarrier, atAgent });
    await agent.hangup(atAgent);
    await carrier.closed(atCarrier);
    expect(await stage.application.becomes(String(requested.body?.callback_id), 'ended')).to.include({ agent: '1001' });
  });
});
