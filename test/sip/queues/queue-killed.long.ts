import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { talk } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import { embeddedSettings } from '../../support/platform/platform-process.js';
import { ProcessStage } from '../../support/stages/process-stage.js';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';

const CALLER_HZ = 1400;

describe('a queue whose application is killed', () => {
  let stage: ProcessStage;
  let agent: Baresip;
  let caller: Baresip;
  let queueId: string;

  before(async () => {
    stage = await ProcessStage.start(await embeddedSettings(await mkdtemp(join(tmpdir(), 'hatif-queue-'))));
    agent = await stage.softphone();
    caller = await stage.softphone(1, CALLER_HZ);
    const { body } = await stage.request('POST', '/v1/queues', { name: 'sales', dial_code: '501', wrap_up_seconds: 0 });
    queueId = String(body?.id);
  });
  after(() => stage.close());

  const setLogin = async (how: 'login' | 'logout'): Promise<void> => {
    const agents = `/v1/queues/agents/${how}`;
    const answer = await stage.request('POST', agents, { agent: '1001', queue: 'sales' });
    expect(answer.status, answer.text).to.equal(200);
  };
  const waiting = async () =>
    (await stage.request('GET', `/v1/queues/${queueId}/waiting`)).body?.data as { readonly call_id: string }[];

  it('keeps a waiting caller, who is then served', async () => {
    const id = await caller.dial('501');
    const [{ call_id: callId }] = await eventually(async () => {
      const callers = await waiting();
      return callers.length > 0 && (callers as [{ readonly call_id: string }]);
    }, 'the caller waits');
    await stage.kill();
    await stage.start();
    await stage.adopted(callId);
    expect(await waiting()).to.have.length(1);
    await setLogin('login');
    const ringing = await agent.incoming();
    await agent.answer(ringing);
    await talk({ phone: caller, hz: CALLER_HZ, callId: id }, { phone: agent, hz: AGENT_HZ, callId: ringing });
    await caller.hangup(id);
    await agent.closed(ringing);
    expect(await stage.becomes(callId, 'ended')).to.include({ agent: '1001', served_queue_id: queueId });
  });

  it('does not ring the same phone twice, and detects the missed end of the call', async () => {
    const id = await caller.dial('501');
    const ringing = await agent.incoming();
    await stage.kill();
    await agent.answer(ringing);
    await stage.start();
    await talk({ phone: caller, hz: CALLER_HZ, callId: id }, { phone: agent, hz: AGENT_HZ, callId: ringing });
    const [call] = (await stage.request('GET', '/v1/calls?limit=1')).body?.data as [{ readonly call_id: string }];
    expect((await stage.read(call.call_id)).legs.filter(({ leg }) => leg === 'agent')).to.have.length(1);
    await stage.kill();
    await caller.hangup(id);
    await stage.start();
    await stage.becomes(call.call_id, 'ended');
    await agent.closed(ringing);
    const member = async () =>
      ((await stage.request('GET', '/v1/queues/members')).body?.data as [{ readonly state: string }])[0].state;
    await eventually(async () => (await member()) === 'idle', 'the agent is free again');
    const again = await caller.dial('501');
    await agent.reject(await agent.incoming());
    await caller.hangup(again);
  });

  it('continues a callback that the agent answered meanwhile, and connects the two after another kill', async () => {
    const { body } = await stage.request('POST', '/v1/callback', {
      to: stage.bootstrap.sip.agents[1]?.number,
      queue_id: queueId,
    });
    const callId = String(body?.callback_id);
    const atAgent = await agent.incoming();
    await stage.kill();
    await agent.answer(atAgent);
    await stage.start();
    const atCustomer = await caller.incoming();
    expect((await stage.read(callId)).legs.map(({ leg }) => leg)).to.deep.equal(['agent', 'customer']);
    await stage.kill();
    await caller.answer(atCustomer);
    await stage.start();
    await talk({ phone: caller, hz: CALLER_HZ, callId: atCustomer }, { phone: agent, hz: AGENT_HZ, callId: atAgent });
    await agent.hangup(atAgent);
    await caller.closed(atCustomer);
    const over = await stage.becomes(callId, 'ended');
    expect(over).to.include({ agent: '1001', queue_id: queueId });
    expect(over.legs).to.have.length(2);
  });
});
