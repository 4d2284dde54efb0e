import { expect } from 'chai';
import type { MemberObject } from '../../../core/services/queues/read.js';
import { toneSeconds, toneWav } from '../../support/judges/audio.js';
import { hears, hearsMore, since, talk } from '../../support/judges/hearing.js';
import { eventually } from '../../support/eventually.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const CALLER = '+966501234517';
const SALES = '+966115550301';
const SUPPORT = '+966115550302';
/** Not a phone's tone or a harmonic of one. */
const MUSIC_HZ = 1700;

describe('queues', () => {
  let stage: TestPlatform;
  /** A customer behind a trunk. */
  let caller: Baresip;
  let agent: Baresip;
  let colleague: Baresip;
  let sales: string;
  let support: string;

  withPlatform(async (made) => {
    stage = made;
    const { management, stores, engine } = stage.platform;
    caller = await stage.phone({ user: CALLER, source: { toneHz: 900 } });
    await management.trunks.add({ name: 'customers', uri: `sip:127.0.0.1:${caller.sipPort}`, isDefault: false });
    const [project] = await stores.projects.list();
    if (!project) throw new Error('the demo has no project');
    const usual = { wrap_up_seconds: 0, unavailable_seconds: 2 };
    sales = String((await request('POST', '/v1/queues', { ...usual, name: 'sales', dial_code: '501' })).id);
    const ringAll = { ...usual, name: 'support', strategy: 'ring_all', dial_code: '502' };
    support = String((await request('POST', '/v1/queues', ringAll)).id);
    await management.numbers.add(project, SALES, { type: 'queue', target: 'sales' });
    await management.numbers.add(project, SUPPORT, { type: 'queue', target: 'support' });
    await engine?.configurationChanged();
    agent = await stage.softphone('1001', { source: { toneHz: 600 } });
    colleague = await stage.softphone('1002', { source: { toneHz: 1200 } });
  });

  async function request(method: string, path: string, json?: object): Promise<Record<string, unknown>> {
    const answer = await stage.request(method, path, json && { json });
    expect(answer.status, answer.text).to.be.within(200, 201);
    return answer.body ?? {};
  }

  const setLogin = (how: 'login' | 'logout', who: string, queue: string) =>
    request('POST', `/v1/queues/agents/${how}`, { agent: who, queue });
  const members = async (queue: string) =>
    (await request('GET', `/v1/queues/members?queue=${queue}`)).data as readonly MemberObject[];
  async function becomes(who: string, what: Partial<MemberObject>, queue = 'sales'): Promise<void> {
    const matches = (member: MemberObject): boolean =>
      member.agent === who &&
      Object.entries(what).every(([name, value]) => member[name as keyof MemberObject] === value);
    const seen = async (): Promise<boolean> => (await members(queue)).some(matches);
    await eventually(seen, `${who} is ${JSON.stringify(what)}`);
  }
  const dial = (number: string): ReturnType<TestPlatform['dialIn']> => stage.dialIn(caller, stage.sipUri(number));

  it('ring the agent idle longest, then the next if that agent rejects, and connect caller and agent', async () => {
    await setLogin('login', '1001', 'sales');
    await becomes('1001', { state: 'idle', registered: true });
    await setLogin('login', '1002', 'sales');
    await becomes('1002', { state: 'idle' });
    const { id, callId } = await dial(SALES);
    const first = await agent.incoming();
    expect(agent.call(first).peer).to.contain(CALLER);
    await becomes('1001', { state: 'ringing' });
    await agent.reject(first);
    const second = await colleague.incoming();
    await becomes('1001', { state: 'unavailable' });
    await colleague.answer(second);
    await talk({ phone: caller, hz: 900, callId: id }, { phone: colleague, hz: 1200, callId: second });
    await becomes('1002', { state: 'busy', calls_taken: 1 });
    await colleague.hangup(second);
    await caller.closed(id);
    expect(await stage.over(callId)).to.include({
      status: 'ended',
      disposition: 'answered',
      agent: '1002',
      served_queue_id: sales,
      line_number: SALES,
    });
    await becomes('1002', { state: 'idle' });
    await becomes('1001', { state: 'idle' });
    const event = await stage.receivedEvent(callId, 'queue.left');
    expect(event.data).to.include({ queue: 'sales', outcome: 'answered', agent: '1002' });
    expect(await request('GET', `/v1/queues/${sales}/stats`)).to.include({ offered: 1, answered: 1, waiting: 0 });
  });

  it('stop ringing the phone when the caller hangs up', async () => {
    await setLogin('logout', '1002', 'sales');
    const { id, callId } = await dial(SALES);
    const ringing = await agent.incoming();
    expect((await request('GET', `/v1/queues/${sales}/waiting`)).data).to.have.length(1);
    await caller.hangup(id);
    await agent.closed(ringing);
    expect(await stage.over(callId)).to.include({ status: 'missed', disposition: 'queue_abandoned' });
    await becomes('1001', { state: 'idle' });
  });

  it('ring all agents until one answers', async () => {
    await setLogin('login', '1001', 'support');
    await setLogin('login', '1002', 'support');
    const { id, callId } = await dial(SUPPORT);
    const [one, other] = await Promise.all([agent.incoming(), colleague.incoming()]);
    await agent.answer(one);
    await colleague.closed(other);
    await talk({ phone: caller, hz: 900, callId: id }, { phone: agent, hz: 600, callId: one });
    await becomes('1002', { state: 'idle' }, 'support');
    await caller.hangup(id);
    await agent.closed(one);
    expect(await stage.over(callId)).to.include({ status: 'ended', agent: '1001' });
    await becomes('1001', { state: 'idle' }, 'support');
  });

  it('repeat the queue’s own music until an agent answers', async () => {
    const form = new FormData();
    form.set('file', new Blob([Uint8Array.from(toneWav({ hz: MUSIC_HZ, seconds: 1 }))]), 'tone.wav');
    const upload = await stage.request('POST', '/v1/callflows/audio', { raw: form });
    await request('PATCH', `/v1/queues/${support}`, { music: upload.body?.id });
    await setLogin('logout', '1001', 'support');
    await setLogin('logout', '1002', 'support');
    const { id, callId } = await dial(SUPPORT);
    await caller.waitToHear(hears(MUSIC_HZ, 2.5), { callId: id });
    await setLogin('login', '1002', 'support');
    const ringing = await colleague.incoming();
    await hearsMore(caller, id, MUSIC_HZ, 0.3);
    await colleague.answer(ringing);
    await talk({ phone: caller, hz: 900, callId: id }, { phone: colleague, hz: 1200, callId: ringing });
    const heard = since(caller, id);
    await hearsMore(caller, id, 1200, 0.5);
    expect(toneSeconds(heard(), MUSIC_HZ)).to.equal(0);
    await caller.hangup(id);
    await colleague.closed(ringing);
    expect(await stage.over(callId)).to.include({ status: 'ended', served_queue_id: support });
    await becomes('1002', { state: 'idle' }, 'support');
  });

  it('accept a caller transferred by an agent of another queue', async () => {
    const { id, callId } = await dial(SALES);
    const first = await agent.incoming();
    await agent.answer(first);
    await talk({ phone: caller, hz: 900, callId: id }, { phone: agent, hz: 600, callId: first });
    const to = { type: 'queue', target: support };
    const transfer = await stage.request('POST', `/v1/calls/${callId}/transfer`, { json: { type: 'blind', to } });
    expect(transfer.status, transfer.text).to.equal(202);
    await agent.closed(first);
    const ringing = await colleague.incoming();
    await hearsMore(caller, id, MUSIC_HZ, 0.3);
    await colleague.answer(ringing);
    await Promise.all([hearsMore(caller, id, 1200, 0.5), hearsMore(colleague, ringing, 900, 0.5)]);
    await colleague.hangup(ringing);
    await caller.closed(id);
    expect(await stage.over(callId)).to.include({ status: 'ended', agent: '1002', served_queue_id: support });
    await becomes('1001', { state: 'idle' });
  });

  it('do not ring an agent on another call, and follow the phone’s registration', async () => {
    const own = await colleague.dial('1001');
    await agent.answer(await agent.incoming());
    await becomes('1001', { state: 'busy' });
    const { id } = await dial(SALES);
    await eventually(async () => (await waiting())?.status === 'waiting', 'the caller waits');
    await colleague.hangup(own);
    const ringing = await agent.incoming();
    await agent.answer(ringing);
    await talk({ phone: caller, hz: 900, callId: id }, { phone: agent, hz: 600, callId: ringing });
    await caller.hangup(id);
    await agent.closed(ringing);
    await becomes('1001', { state: 'idle' });
    await agent.close();
    await becomes('1001', { state: 'unavailable', registered: false });
  });

  it('are joined and left by phone codes, and called by their dial code', async () => {
    const code = async (dialled: string): Promise<string> => colleague.closed(await colleague.dial(dialled));
    await code('*45501');
    await becomes('1002', { status: 'logged_in', state: 'idle' });
    await code('*47');
    await becomes('1002', { status: 'paused' });
    await code('*47');
    await becomes('1002', { status: 'logged_in' });
    const other = await stage.softphone('1001', { source: { toneHz: 600 } });
    const id = await other.dial('501');
    const ringing = await colleague.incoming();
    await colleague.answer(ringing);
    await talk({ phone: other, hz: 600, callId: id }, { phone: colleague, hz: 1200, callId: ringing });
    await other.hangup(id);
    await colleague.closed(ringing);
    await becomes('1002', { state: 'idle' });
    await code('*46501');
    await becomes('1002', { status: 'logged_out' });
  });

  async function waiting(): Promise<{ readonly status: string } | undefined> {
    const { data } = await request('GET', `/v1/queues/${sales}/waiting`);
    return (data as { readonly status: string }[])[0];
  }
});
