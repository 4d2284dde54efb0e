import { expect } from 'chai';
import { slice, toneSeconds, toneWav } from '../../support/judges/audio.js';
import { hears, hearsMore, talk } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { WebhookReceiver } from '../../support/peers/receiver.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const CALLER = '+966501234517';
const CALLER_HZ = 900;
const AGENT_HZ = 600;
const [MENU_HZ, ONE_HZ, AGAIN_HZ, BYE_HZ] = [1000, 1300, 1500, 1700];
/** The length of a prompt that no test waits for. */
const LONG_SECONDS = 8;

type Json = Record<string, unknown>;

describe('call flows with real phones', () => {
  let stage: TestPlatform;
  let caller: Baresip;
  let agent: Baresip;
  let line: { id: string; e164: string };
  const audio = new Map<number, string>();

  withPlatform(async (made) => {
    stage = made;
    const { management, engine, stores } = stage.platform;
    caller = await stage.phone({ user: CALLER, source: { toneHz: CALLER_HZ } });
    await management.trunks.add({ name: 'other', uri: `sip:127.0.0.1:${caller.sipPort}`, isDefault: false });
    await engine?.configurationChanged();
    agent = await stage.softphone('1001', { source: { toneHz: AGENT_HZ } });
    for (const hz of [MENU_HZ, ONE_HZ, AGAIN_HZ, BYE_HZ]) {
      audio.set(hz, await upload(hz));
    }
    const [project] = await stores.projects.list();
    const [first] = await stores.numbers.listByProject(project!.id);
    line = { id: first!.id, e164: first!.e164 };
  });

  async function request(
    method: string,
    path: string,
    options: Parameters<TestPlatform['request']>[2] = {},
  ): Promise<Json> {
    const answer = await stage.request(method, path, options);
    expect(answer.status, answer.text).to.be.within(200, 201);
    return answer.body ?? {};
  }
  /** Uploads a tone. @returns the ID of the audio file */
  async function upload(hz: number, seconds = 1.2): Promise<string> {
    const raw = new FormData();
    raw.set('file', new Blob([Uint8Array.from(toneWav({ hz, seconds }))]), `${hz}.wav`);
    return String((await request('POST', '/v1/callflows/audio', { raw })).id);
  }
  const tone = (hz: number, next: string): Json => ({ type: 'play', audio_id: audio.get(hz), next });
  const END = { type: 'hangup' };
  const menu = (choices: Json, more: Json = {}): Json => ({
    type: 'menu',
    prompt: { audio_id: audio.get(MENU_HZ) },
    choices,
    timeout_seconds: 3,
    retries: 1,
    no_input: 'bye',
    ...more,
  });

  /** Creates the flow, binds the line to it, and calls the line. */
  async function call(nodes: Json): Promise<{ readonly id: string; readonly callId: string; readonly flowId: string }> {
    const definition = { start: Object.keys(nodes)[0], nodes, language: 'en' };
    const { id: flowId } = await request('POST', '/v1/callflows', {
      json: { name: 'flow', kind: 'graph', definition },
    });
    await request('POST', `/v1/callflows/${String(flowId)}/activate`, { json: {} });
    const json = { type: 'callflow', target: flowId };
    await request('PUT', `/v1/numbers/${line.id}/binding`, { json });
    const { id, callId } = await stage.dialIn(caller, stage.sipUri(line.e164));
    return { id, callId, flowId: String(flowId) };
  }
  const path = async (callId: string): Promise<unknown[]> =>
    (await stage.timeline(callId)).filter(({ type }) => type === 'flow.node').map(({ data }) => data.node);

  it('play the prompt, stop it for a key, and follow the choice', async () => {
    const prompt = { audio_id: await upload(MENU_HZ, LONG_SECONDS) };
    const { id, callId, flowId } = await call({
      main: menu({ 1: 'one' }, { prompt }),
      one: tone(ONE_HZ, 'end'),
      bye: tone(BYE_HZ, 'end'),
      end: END,
    });
    await caller.waitToHear(hears(MENU_HZ, 0.3), { callId: id });
    await caller.sendDtmf('1');
    await caller.waitToHear(hears(ONE_HZ, 0.8), { callId: id });
    expect(toneSeconds(caller.heard(id), MENU_HZ), 'the key ends the prompt').to.be.below(LONG_SECONDS - 1);
    await caller.closed(id);
    expect(await stage.over(callId)).to.include({ callflow_id: flowId, disposition: 'answered' });
    expect(await path(callId)).to.deep.equal(['main', 'one', 'end']);
  });

  it('ask again after a wrong key and after silence, each with its own prompt', async () => {
    const { id, callId } = await call({
      main: menu({ 1: 'one' }, { invalid_prompt: { audio_id: audio.get(AGAIN_HZ) } }),
      one: tone(ONE_HZ, 'end'),
      bye: tone(BYE_HZ, 'end'),
      end: END,
    });
    await caller.waitToHear(hears(MENU_HZ, 0.8), { callId: id });
    await caller.sendDtmf('9');
    await caller.waitToHear(hears(AGAIN_HZ, 0.8), { callId: id });
    await hearsMore(caller, id, MENU_HZ, 0.8);
    await caller.waitToHear(hears(BYE_HZ, 0.8), { callId: id });
    await caller.closed(id);
    await stage.over(callId);
    expect(await path(callId)).to.deep.equal(['main', 'bye', 'end']);
  });

  it('gather digits, report the choice of an auth_menu, and speak the gathered digits', async () => {
    const { id, callId } = await call({
      pin: { type: 'gather', prompt: { audio_id: audio.get(MENU_HZ) }, variable: 'pin', next: 'sure', no_input: 'end' },
      sure: { type: 'auth_menu', prompt: { audio_id: audio.get(ONE_HZ) }, choices: { 5: 'say' }, no_input: 'end' },
      say: { type: 'say', text: '{{pin | digits}}', next: 'bye' },
      bye: tone(BYE_HZ, 'end'),
      end: END,
    });
    await caller.waitToHear(hears(MENU_HZ, 0.3), { callId: id });
    await caller.sendDtmf('4711#');
    await caller.waitToHear(hears(ONE_HZ, 0.3), { callId: id });
    await caller.sendDtmf('5');
    await caller.waitToHear(hears(BYE_HZ, 0.8), { callId: id });
    await caller.closed(id);
    const over = await stage.over(callId);
    const timeline = await stage.timeline(callId);
    const input = timeline.find(({ type }) => type === 'call.input');
    expect(input?.data.input).to.deep.equal({ node: 'sure', choice: '5', digits_count: 1 });
    expect(JSON.stringify(timeline), 'the timeline contains the digits').not.to.contain('4711');
    expect(over.status).to.equal('ended');
  });

  it('ring an agent, bridge both, and continue with the caller afterwards', async () => {
    const { id, callId } = await call({
      ring: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'bye', after: 'one' },
      one: tone(ONE_HZ, 'end'),
      bye: tone(BYE_HZ, 'end'),
      end: END,
    });
    const ringing = await agent.incoming();
    expect(caller.call(id).establishedAt, 'not answered before the agent does').to.equal(null);
    await agent.answer(ringing);
    await talk({ phone: caller, hz: CALLER_HZ, callId: id }, { phone: agent, hz: AGENT_HZ, callId: ringing });
    await agent.hangup(ringing);
    await hearsMore(caller, id, ONE_HZ, 0.8);
    await caller.closed(id);
    expect(await stage.over(callId)).to.include({ agent: '1001' });
    expect(await path(callId)).to.deep.equal(['ring', 'one', 'end']);
  });

  it('continue if the agent rejects the call, and send a signed request to the customer’s system', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.trust(stage.signingSecret);
    receiver.script = () => ({ status: 200, body: JSON.stringify({ customer: { tier: 'gold' } }) });
    try {
      const { id, callId } = await call({
        ring: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'ask' },
        ask: {
          type: 'http',
          url: `${receiver.url('/crm')}?why={{dial_status}}`,
          body: { from: '{{caller_number}}' },
          response: { tier: 'customer.tier' },
          next: 'vip',
          failed: 'bye',
        },
        vip: {
          type: 'branch',
          cases: [{ variable: 'tier', operator: 'equals', value: 'gold', next: 'one' }],
          next: 'bye',
        },
        one: tone(ONE_HZ, 'end'),
        bye: tone(BYE_HZ, 'end'),
        end: END,
      });
      await agent.reject(await agent.incoming());
      await caller.waitToHear(hears(ONE_HZ, 0.8), { callId: id });
      await caller.closed(id);
      await stage.over(callId);
      expect(await path(callId)).to.deep.equal(['ring', 'ask', 'vip', 'one', 'end']);
      const [received] = receiver.requests;
      expect(received?.path).to.match(/\?why=busy$/);
      expect(received?.data).to.deep.include({ call_id: callId, node: 'ask', input: { from: CALLER } });
      expect(received?.data.customer_number_masked).to.equal('+96650••••17');
      receiver.assertSound();
    } finally {
      await receiver.close();
    }
  });

  it('connect two callers, who hear each other, in a conference', async () => {
    const room = { c: { type: 'conference', name: 'flow room', next: 'end' }, end: END };
    const first = await call(room);
    const colleague = await stage.softphone('1002', { source: { toneHz: 1900 } });
    const second = await colleague.dial(stage.sipUri(line.e164));
    await talk({ phone: caller, hz: CALLER_HZ, callId: first.id }, { phone: colleague, hz: 1900, callId: second });
    await caller.hangup(first.id);
    await stage.over(first.callId);
    await colleague.hangup(second);
    await colleague.closed(second);
  });

  it('finish with the version with which they started, while new calls use the new one', async () => {
    const { id, callId, flowId } = await call({
      main: menu({ 1: 'one' }),
      one: tone(ONE_HZ, 'end'),
      bye: END,
      end: END,
    });
    await caller.waitToHear(hears(MENU_HZ, 0.3), { callId: id });
    const nodes = { bye: tone(BYE_HZ, 'end'), end: END };
    const json = { name: 'flow', kind: 'graph', version: 1, definition: { start: 'bye', nodes } };
    await request('PUT', `/v1/callflows/${flowId}`, { json });
    await caller.sendDtmf('1');
    await caller.waitToHear(hears(ONE_HZ, 0.8), { callId: id });
    await caller.closed(id);
    await stage.over(callId);
    const later = await stage.dialIn(caller, stage.sipUri(line.e164));
    await caller.waitToHear(hears(BYE_HZ, 0.8), { callId: later.id });
    await caller.closed(later.id);
    await stage.over(later.callId);
  });

  it('run on a call placed through the API', async () => {
    const carrier = await stage.carrier({ source: { toneHz: 700 } });
    const nodes = { bye: tone(BYE_HZ, 'end'), end: END };
    const json = { name: 'out', kind: 'graph', definition: { start: 'bye', nodes } };
    const { id: flowId } = await request('POST', '/v1/callflows', { json });
    await request('POST', `/v1/callflows/${String(flowId)}/activate`, { json: {} });
    const placed = await stage.call({ to: '+966559876543', callflow_id: flowId });
    expect(placed.callflow_id).to.equal(flowId);
    const ringing = await carrier.incoming();
    await carrier.answer(ringing);
    await carrier.waitToHear(hears(BYE_HZ, 0.8), { callId: ringing });
    await carrier.closed(ringing);
    await stage.over(placed.call_id);
  });

  it('apologize in both languages if they cannot continue', async () => {
    const { id, callId } = await call({
      go: { type: 'play', audio_id: audio.get(MENU_HZ), next: 'lost' },
      lost: { type: 'transfer', to: { type: 'number', target: '{{nobody}}' } },
    });
    await caller.closed(id, 40_000);
    await stage.over(callId);
    const heard = caller.heard(id);
    expect(toneSeconds(heard, MENU_HZ)).to.be.above(0.8);
    expect(slice(heard, 2).seconds, 'there is speech after the tone').to.be.above(2);
    const fault = (await stage.timeline(callId)).find(({ type }) => type === 'flow.fault');
    expect(fault?.data.node).to.equal('lost');
  });
});
