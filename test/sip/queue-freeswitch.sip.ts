import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { describeFreeswitch } from '../support/freeswitch.js';
import { FreeswitchStage } from '../support/freeswitch-stage.js';
import { talk } from '../support/hearing.js';
import type { Baresip } from '../support/phones/index.js';
import { AGENT_HZ } from '../support/trunk-talkers.js';

const CALLER_HZ = 1400;

describeFreeswitch('queues on FreeSWITCH alone', () => {
  let stage: FreeswitchStage;
  let agent: Baresip;
  let caller: Baresip;

  before(async function () {
    this.timeout(180_000);
    stage = await FreeswitchStage.start();
    agent = await stage.application.softphone();
    caller = await stage.application.softphone(1, CALLER_HZ);
  });
  after(() => stage.close());

  async function post(path: string, json: object): Promise<void> {
    const answer = await stage.application.request('POST', path, json);
    expect(answer.status, answer.text).to.be.within(200, 201);
  }

  it('keep a caller who is refused once, and join him with the agent who takes the call', async () => {
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
});
