import { expect } from 'chai';
import { talk, tonesHeard } from '../../support/judges/hearing.js';
import { eventually } from '../../support/eventually.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { askAsterisk } from '../../support/platform/asterisk.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const CUSTOMER = '+966501234517';
const HZ = { customer: 500, agent: 700, colleague: 900, supervisor: 1_100 } as const;
const TONES = Object.values(HZ);

describe('a supervisor', () => {
  let stage: TestPlatform;
  let customer: Baresip;
  let agent: Baresip;
  let colleague: Baresip;
  let supervisor: Baresip;

  withPlatform(async (made) => {
    stage = made;
    await stage.newAgent('2001');
    customer = await stage.carrier({ source: { toneHz: HZ.customer } });
    agent = await stage.softphone('1001', { source: { toneHz: HZ.agent } });
    colleague = await stage.softphone('1002', { source: { toneHz: HZ.colleague } });
    supervisor = await stage.softphone('2001', { source: { toneHz: HZ.supervisor } });
  });

  async function post(callId: string, path: string, json: object = {}): Promise<Record<string, unknown>> {
    const answer = await stage.request('POST', `/v1/calls/${callId}/${path}`, { json });
    expect(answer.status, answer.text).to.be.within(200, 202);
    return answer.body ?? {};
  }

  /** Connects customer and agent. */
  async function talking() {
    const { call_id: callId } = await stage.call({ to: CUSTOMER, connect: { type: 'agent', target: '1001' } });
    const atCustomer = await customer.incoming();
    await customer.answer(atCustomer);
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await talk(
      { phone: customer, hz: HZ.customer, callId: atCustomer },
      { phone: agent, hz: HZ.agent, callId: atAgent },
    );
    return { callId, atCustomer, atAgent };
  }

  async function monitored(mode: string) {
    const parties = await talking();
    await post(parties.callId, 'monitor', { agent: '2001', mode });
    const atSupervisor = await supervisor.incoming();
    expect(supervisor.call(atSupervisor).peer).to.contain(CUSTOMER);
    await supervisor.answer(atSupervisor);
    await reached(parties.callId, mode);
    return { ...parties, atSupervisor };
  }

  /** Resolves when the timeline reports this mode this number of times. */
  async function reached(callId: string, mode: string, times = 1): Promise<void> {
    const isReached = async (): Promise<boolean> =>
      (await stage.timeline(callId)).filter(({ type, data }) => type === 'monitor.mode' && data.mode === mode)
        .length === times;
    await eventually(isReached, `${times} x ${mode}`);
  }

  const names = (tones: readonly number[]): string[] =>
    Object.entries(HZ).flatMap(([name, hz]) => (tones.includes(hz) ? name : []));

  /** Returns the parties that each phone hears now. */
  async function heard(...ends: readonly (readonly [Baresip, string])[]): Promise<string[][]> {
    return (await Promise.all(ends.map(([phone, id]) => tonesHeard(phone, TONES, id)))).map(names);
  }

  /** Returns the monitoring channels and bridges in Asterisk. */
  async function leftovers(): Promise<readonly string[]> {
    const [channels, bridges] = await Promise.all(
      ['/channels', '/bridges'].map(
        async (path) => (await (await askAsterisk('GET', path)).json()) as { id: string }[],
      ),
    );
    return [...channels!, ...bridges!].map(({ id }) => id).filter((id) => id.startsWith('spy-'));
  }

  it('listens, whispers to the agent only, speaks with both, and listens again; then the call continues', async () => {
    const { callId, atCustomer, atAgent, atSupervisor } = await monitored('listen');
    const ends = [[customer, atCustomer] as const, [agent, atAgent] as const, [supervisor, atSupervisor] as const];
    const listening = [['agent'], ['customer'], ['customer', 'agent']];
    expect(await heard(...ends)).to.deep.equal(listening);
    await post(callId, 'monitor', { agent: '2001', mode: 'whisper' });
    await reached(callId, 'whisper');
    expect(await heard(...ends)).to.deep.equal([['agent'], ['customer', 'supervisor'], ['customer', 'agent']]);
    await post(callId, 'monitor', { agent: '2001', mode: 'barge' });
    await reached(callId, 'barge');
    expect(await heard(...ends)).to.deep.equal([
      ['agent', 'supervisor'],
      ['customer', 'supervisor'],
      ['customer', 'agent'],
    ]);
    await post(callId, 'monitor', { agent: '2001', mode: 'listen' });
    await reached(callId, 'listen', 2);
    expect(await heard(...ends)).to.deep.equal(listening);
    expect((await stage.read(callId)).legs.map(({ leg }) => leg)).to.deep.equal(['customer', 'agent']);
    await supervisor.hangup(atSupervisor);
    expect(await heard(ends[0]!, ends[1]!)).to.deep.equal([['agent'], ['customer']]);
    await customer.hangup(atCustomer);
    await agent.closed(atAgent);
    expect(await stage.over(callId)).to.include({ status: 'ended', agent: '1001' });
    expect(await stage.charges(callId)).to.have.length(1);
    await eventually(async () => (await leftovers()).length === 0, 'nothing is left in Asterisk');
  });

  it('stays with the call after a transfer to another agent', async () => {
    const { callId, atCustomer, atAgent, atSupervisor } = await monitored('whisper');
    await post(callId, 'transfer', { type: 'blind', to: { type: 'agent', target: '1002' } });
    const atColleague = await colleague.incoming();
    await colleague.answer(atColleague);
    await agent.closed(atAgent);
    await stage.receivedEvent(callId, 'call.transferred');
    await eventually(
      async () => (await stage.timeline(callId)).filter(({ type }) => type === 'monitor.mode').length > 1,
      'the supervisor is connected to the other agent',
    );
    expect(await heard([customer, atCustomer], [colleague, atColleague], [supervisor, atSupervisor])).to.deep.equal([
      ['colleague'],
      ['customer', 'supervisor'],
      ['customer', 'colleague'],
    ]);
    await customer.hangup(atCustomer);
    await Promise.all([supervisor.closed(atSupervisor), colleague.closed(atColleague)]);
    await stage.over(callId);
    await eventually(async () => (await leftovers()).length === 0, 'nothing is left in Asterisk');
  });

  it('keeps whispering while the customer is on hold and after a restart of the application', async () => {
    const { callId, atCustomer, atAgent, atSupervisor } = await monitored('whisper');
    await post(callId, 'hold');
    expect(await heard([agent, atAgent], [supervisor, atSupervisor])).to.deep.equal([['supervisor'], ['agent']]);
    await stage.halt();
    await stage.resume();
    await stage.adopted(callId);
    await reached(callId, 'whisper', 2);
    await post(callId, 'unhold');
    expect(await heard([customer, atCustomer], [agent, atAgent], [supervisor, atSupervisor])).to.deep.equal([
      ['agent'],
      ['customer', 'supervisor'],
      ['customer', 'agent'],
    ]);
    await stage.halt();
    await supervisor.hangup(atSupervisor);
    await stage.resume();
    await eventually(async () => (await leftovers()).length === 0, 'nothing is left in Asterisk');
    expect(await heard([customer, atCustomer], [agent, atAgent])).to.deep.equal([['agent'], ['customer']]);
    await post(callId, 'monitor', { agent: '2001' });
    const again = await supervisor.incoming();
    await post(callId, 'monitor/stop');
    await supervisor.closed(again);
    await stage.hangup(callId);
    await Promise.all([customer.closed(atCustomer), agent.closed(atAgent)]);
  });
});
