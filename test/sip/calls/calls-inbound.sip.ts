import { expect } from 'chai';
import { blockedCallers } from '../../support/calls/blocked-callers.js';
import { eventually } from '../../support/eventually.js';
import { talk } from '../../support/judges/hearing.js';
import { Sipp, type Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const CALLER = '+966501234517';
const FORWARDED_TO = '+966559876543';
const FORWARDING = '+966115550103';
const UNBOUND = '+966115550104';

describe('inbound calls', () => {
  let stage: TestPlatform;
  /** A customer behind a trunk that is not the default one. */
  let caller: Baresip;
  let agent: Baresip;
  let colleague: Baresip;

  withPlatform(async (made) => {
    stage = made;
    const { management, stores, engine } = stage.platform;
    caller = await stage.phone({ user: CALLER, source: { toneHz: 900 } });
    await management.trunks.add({ name: 'other', uri: `sip:127.0.0.1:${caller.sipPort}`, isDefault: false });
    const [project] = await stores.projects.list();
    if (!project) throw new Error('the demo has no project');
    await management.numbers.add(project, FORWARDING, { type: 'number', target: FORWARDED_TO });
    await management.numbers.add(project, UNBOUND);
    await engine?.configurationChanged();
    agent = await stage.softphone('1001', { source: { toneHz: 600 } });
    colleague = await stage.softphone('1002', { source: { toneHz: 1200 } });
  });

  const dial = (number: string): ReturnType<TestPlatform['dialIn']> => stage.dialIn(caller, stage.sipUri(number));

  it('from a trunk ring the softphone that the number is bound to', async () => {
    const { number } = stage.agent('1001');
    const { id, callId } = await dial(number);
    const ringing = await agent.incoming();
    expect(agent.call(ringing).peer).to.contain(CALLER);
    await caller.waitFor('CALL_RINGING', { callId: id });
    expect(caller.call(id).establishedAt).to.equal(null);
    await agent.answer(ringing);
    await talk({ phone: caller, hz: 900, callId: id }, { phone: agent, hz: 600, callId: ringing });
    await caller.hangup(id);
    await agent.closed(ringing);
    const over = await stage.over(callId);
    expect(over).to.include({ kind: 'inbound', direction: 'inbound', status: 'ended', disposition: 'answered' });
    expect(over).to.include({ customer_number_masked: '+96650••••17', line_number: number, agent: '1001' });
    const charges = await stage.charges(callId);
    expect(charges.map((charge) => [charge.number, charge.direction])).to.deep.equal([[CALLER, 'inbound']]);
  });

  it('are forwarded over the default trunk to the bound number; both legs are charged', async () => {
    const carrier = await stage.carrier({ source: { toneHz: 700 } });
    const { id, callId } = await dial(FORWARDING);
    const ringing = await carrier.incoming();
    expect(carrier.call(ringing).peer).to.contain(FORWARDING);
    await carrier.answer(ringing);
    await talk({ phone: caller, hz: 900, callId: id }, { phone: carrier, hz: 700, callId: ringing });
    await carrier.hangup(ringing);
    await caller.closed(id);
    await stage.over(callId);
    const charges = await stage.charges(callId);
    expect(charges.map((charge) => [charge.number, charge.direction])).to.have.deep.members([
      [CALLER, 'inbound'],
      [FORWARDED_TO, 'outbound'],
    ]);
  });

  /** The carrier of the default trunk calls the agent with this From header. */
  const calls = (from: string): Promise<Sipp> => {
    const { host, port } = stage.parts.sip;
    const number = stage.agent('1001').number;
    return stage.sippCarrier({ scenario: 'uac-wait-bye', remote: `${host}:${port}`, number, from });
  };

  it('with a withheld or missing number are shown as anonymous and charged as usual', async () => {
    for (const from of ['"Anonymous" <sip:anonymous@anonymous.invalid>', '<sip:127.0.0.1>']) {
      const sipp = await calls(from);
      const ringing = await agent.incoming();
      expect(agent.call(ringing).peer).to.contain('anonymous');
      await agent.answer(ringing);
      const [call] = await stage.latest(1);
      expect(call).to.include({ kind: 'inbound', customer_number_masked: 'anonymous' });
      await agent.hangup(ringing);
      expect(await sipp.done).to.include({ successful: 1 });
      await stage.over(call!.call_id);
      expect((await stage.charges(call!.call_id)).map(({ number }) => number)).to.deep.equal(['anonymous']);
    }
  });

  it('show the caller’s name on the phone that rings', async () => {
    const sipp = await calls(`"Nahda Trading" <sip:${CALLER}@127.0.0.1>`);
    const ringing = await agent.incoming();
    expect(agent.call(ringing).peerName).to.equal('Nahda Trading');
    await agent.answer(ringing);
    await agent.hangup(ringing);
    expect(await sipp.done).to.include({ successful: 1 });
  });

  it('to an unassigned or unbound number get 404', async () => {
    for (const number of ['+966115559999', UNBOUND, 'nonsense']) {
      const refused = await caller.closed(await caller.dial(stage.sipUri(number)));
      expect(refused, number).to.match(/^404/);
    }
  });

  it('of a blocked caller are refused, and leave no call', async () => {
    const json = { kind: 'exact', number: CALLER };
    const { body: entry } = await stage.request('POST', '/v1/blocked-callers', { json });
    const before = await stage.latest(1);
    for (const number of [stage.agent('1001').number, stage.demo.lineNumber]) {
      const refused = await caller.closed(await caller.dial(stage.sipUri(number)));
      expect(refused, number).to.match(/^603/);
    }
    expect(await stage.latest(1)).to.deep.equal(before);
    const listed = async (): Promise<unknown> =>
      (await stage.platform.management.refusedCalls.list(1, 10)).find(({ reason }) => reason === 'caller_blocked');
    const refusal = await eventually(listed, 'the refused calls are written');
    expect(refusal).to.include({ source_name: 'other', caller_masked: '+96650••••17', q850: 21 });
    await stage.request('DELETE', `/v1/blocked-callers/${String(entry?.id)}`);
    const { id } = await dial(stage.agent('1001').number);
    const ringing = await agent.incoming();
    await caller.hangup(id);
    await agent.closed(ringing);
  });

  describe('of the blocked', () => {
    blockedCallers(() => ({
      caller,
      number: CALLER,
      callee: stage.sipUri(stage.agent('1001').number),
      request: (method, path, json) => stage.request(method, path, json ? { json } : {}),
    }));
  });

  it('are missed when the caller gives up', async () => {
    const { id, callId } = await dial(stage.agent('1001').number);
    const ringing = await agent.incoming();
    await caller.hangup(id);
    await agent.closed(ringing);
    expect(await stage.over(callId)).to.include({ status: 'missed', disposition: 'no_answer', answered_at: null });
    expect(await stage.charges(callId)).to.deep.equal([]);
  });

  it('are missed when the softphone refuses; the caller hears busy and pays nothing', async () => {
    const { id, callId } = await dial(stage.agent('1001').number);
    await agent.reject(await agent.incoming());
    expect(await caller.closed(id)).to.match(/^486/);
    expect(await stage.over(callId)).to.include({ status: 'missed', disposition: 'busy' });
    expect(await stage.charges(callId)).to.deep.equal([]);
  });

  it('are hung up through the API while they ring or talk', async () => {
    const ringing = await dial(stage.agent('1001').number);
    const first = await agent.incoming();
    await stage.hangup(ringing.callId);
    await Promise.all([caller.closed(ringing.id), agent.closed(first)]);
    expect(await stage.over(ringing.callId)).to.include({ status: 'cancelled', disposition: 'cancelled' });
    const talking = await dial(stage.agent('1001').number);
    const second = await agent.incoming();
    await agent.answer(second);
    await stage.receivedEvent(talking.callId, 'call.answered');
    await stage.hangup(talking.callId);
    await Promise.all([caller.closed(talking.id), agent.closed(second)]);
    expect(await stage.over(talking.callId)).to.include({ status: 'ended', disposition: 'answered' });
  });

  it('between softphones work by extension and by number, and are free', async () => {
    for (const target of ['1001', stage.agent('1001').number]) {
      const { id, callId } = await stage.dialIn(colleague, target);
      const ringing = await agent.incoming();
      expect(agent.call(ringing).peer).to.contain(stage.agent('1002').number);
      await agent.answer(ringing);
      await talk({ phone: colleague, hz: 1200, callId: id }, { phone: agent, hz: 600, callId: ringing });
      await agent.hangup(ringing);
      await colleague.closed(id);
      await stage.over(callId);
      expect(await stage.charges(callId)).to.deep.equal([]);
    }
  });

  it('from unauthenticated sources are refused: a wrong password and an unknown address', async () => {
    const { sip } = stage.parts;
    const intruder = await stage.phone({ user: '1001', registrar: { ...sip, password: 'guessed' } });
    const why = await intruder.registered().then(
      () => 'registered',
      (error: unknown) => String(error),
    );
    expect(why).to.match(/40[13]/);
    const before = await stage.latest(1);
    const stranger = await Sipp.run({
      scenario: 'uac-refused',
      status: 401,
      remote: `${sip.host}:${sip.port}`,
      number: stage.demo.lineNumber,
      caller: '1001',
    });
    expect(stranger).to.include({ successful: 1, failed: 0 });
    expect(await stage.latest(1)).to.deep.equal(before);
    // The real softphone is still registered and still rings.
    const call = await stage.call({ to: stage.agent('1001').number });
    await agent.reject(await agent.incoming());
    await stage.over(call.call_id);
  });
});
