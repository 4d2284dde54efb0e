import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { flowNode } from '../../../core/model/flow/node-types.js';
import { toneSeconds } from '../judges/audio.js';
import { eventually } from '../eventually.js';
import { EVERY_DAY, FlowLine, type FlowCall } from './flow-line.js';
import { hears, talk } from '../judges/hearing.js';
import type { Baresip } from '../phones/index.js';
import type { ProcessStage } from '../stages/process-stage.js';
import { WebhookReceiver } from '../peers/receiver.js';
import { digitPromptsOf, digitsSaid } from '../judges/spoken-digits.js';
import { AGENT_HZ } from './trunk-talkers.js';

type Json = Record<string, unknown>;

const CALLER_HZ = 900;
const BEEP_HZ = 1000;
/** Tones of the prompts in the order in which they play; the tones of phones lie between them. */
const [MENU_HZ, AUTH_HZ, GATHER_HZ, SUB_HZ, PLAY_HZ] = [1200, 1400, 1600, 1800, 2000];
const CODE_MS = 60_000;

/** All node types of call flows. */
export const NODE_TYPES: readonly string[] = flowNode.options.map(({ shape }) => shape.type.value);

/** A line whose flow contains a node of every type, called from the second demo agent's phone. */
export class EveryNode {
  /** The node types that calls have visited. */
  readonly visited = new Set<string>();
  #nodes: Record<string, Json> = {};
  #flow = '';

  private constructor(
    private readonly stage: ProcessStage,
    private readonly line: FlowLine,
    private readonly caller: Baresip,
    private readonly agent: Baresip,
    private readonly receiver: WebhookReceiver,
  ) {}

  static async open(stage: ProcessStage): Promise<EveryNode> {
    const receiver = await WebhookReceiver.start();
    receiver.script = () => ({ status: 200, body: JSON.stringify({ customer: { tier: 'gold' } }) });
    const caller = await stage.softphone(1, CALLER_HZ);
    const line = await FlowLine.open(stage, caller);
    const every = new EveryNode(stage, line, caller, await stage.softphone(0), receiver);
    await every.#build();
    return every;
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  /** Visits all nodes that continue, up to the end. */
  async wholeWay(): Promise<void> {
    const { caller, agent } = this;
    const { id, callId } = await this.#choose('1');
    await caller.waitToHear(hears(AUTH_HZ, 0.3), { callId: id });
    await caller.sendDtmf('5');
    await caller.waitToHear(hears(GATHER_HZ, 0.3), { callId: id });
    await caller.sendDtmf('4711#');
    await agent.reject(await agent.incoming(20_000));
    const telling = await agent.incoming(30_000);
    await agent.answer(telling);
    await agent.closed(telling, CODE_MS);
    const said = digitsSaid(agent.heard(telling), await digitPromptsOf(this.stage.dataDir, 'en'));
    expect(said, 'the code, twice').to.match(/^(\d{4})\1$/);
    await caller.sendDtmf(`${said.slice(0, 4)}#`);
    await caller.waitToHear(hears(SUB_HZ, 0.8), { callId: id, timeoutMs: 30_000 });
    await caller.waitToHear(hears(PLAY_HZ, 0.8), { callId: id });
    await caller.closed(id);
    await this.#over(callId);
    const asked = this.receiver.requests.at(-1)?.data;
    expect(asked).to.deep.include({ call_id: callId, node: 'ask', input: { pin: '4711' } });
    await eventually(async () => (await this.stage.read(callId)).recording_available, 'the recording');
    const input = (await this.stage.timeline(callId)).find(({ type }) => type === 'call.input');
    expect(input?.data.input).to.deep.equal({ node: 'auth', choice: '5', digits_count: 1 });
  }

  async leavesMessage(): Promise<void> {
    const { id, callId } = await this.#choose('2');
    await this.caller.waitToHear((audio) => toneSeconds(audio, BEEP_HZ) > 0.1, { callId: id, timeoutMs: 20_000 });
    // The caller decides how long a message is: no event can be awaited here. A busy engine may begin to record some
    // seconds after the tone, and less than one second is no message.
    await pause(4000);
    await this.caller.hangup(id);
    await this.#over(callId);
    const messages = async (): Promise<Json[]> =>
      (await this.stage.request('GET', '/v1/voicemails')).body?.data as Json[];
    await eventually(async () => (await messages()).some(({ call_id }) => call_id === callId), 'the message');
  }

  async isTransferred(): Promise<void> {
    const { caller, agent } = this;
    const { id, callId } = await this.#choose('3');
    const ringing = await agent.incoming();
    await agent.answer(ringing);
    await talk({ phone: caller, hz: CALLER_HZ, callId: id }, { phone: agent, hz: AGENT_HZ, callId: ringing });
    await caller.hangup(id);
    await agent.closed(ringing);
    await this.#over(callId);
  }

  async joinsConference(): Promise<void> {
    const { caller, agent } = this;
    const { id, callId } = await this.#choose('4');
    const other = await agent.dial(this.stage.bootstrap.line_number);
    await agent.waitToHear(hears(MENU_HZ, 0.3), { callId: other });
    await agent.sendDtmf('4');
    await talk({ phone: caller, hz: CALLER_HZ, callId: id }, { phone: agent, hz: AGENT_HZ, callId: other });
    const otherId = await this.line.newest();
    await agent.hangup(other);
    await this.#over(otherId!);
    await caller.hangup(id);
    await this.#over(callId);
  }

  async #choose(key: string): Promise<FlowCall> {
    const call = await this.line.call(this.#flow);
    await this.caller.waitToHear(hears(MENU_HZ, 0.3), { callId: call.id });
    await this.caller.sendDtmf(key);
    return call;
  }

  /** Resolves when the call is over. */
  async #over(callId: string): Promise<void> {
    await this.stage.becomes(callId, 'ended');
    for (const node of await this.line.path(callId)) this.visited.add(String(this.#nodes[String(node)]?.type));
  }

  async #build(): Promise<void> {
    const { line, stage } = this;
    await line.good('PUT', `/v1/numbers/${line.id}/voicemail`, {
      enabled: true,
      greeting: { text: 'No.', language: 'en' },
    });
    const queue = await line.good('POST', '/v1/queues', { name: 'nobody', max_wait_seconds: 5 });
    const inner = { sub: await this.#tone(SUB_HZ, 'return') };
    const nodes = await this.#outer(String(queue.id), await line.flow(inner), stage.bootstrap.sip.agents[0]!.number);
    this.#flow = await line.flow(nodes);
    this.#nodes = { ...inner, ...nodes };
  }

  async #outer(queue: string, inner: string, agentNumber: string): Promise<Record<string, Json>> {
    const asking = async (hz: number): Promise<Json> => ({ prompt: await this.#audio(hz), no_input: 'end' });
    const choices = { 1: 'record', 2: 'message', 3: 'away', 4: 'room' };
    return {
      open: { type: 'hours', hours: { week: EVERY_DAY }, open: 'trial', closed: 'end' },
      trial: { type: 'split', branches: [1, 100].map((weight) => ({ weight, next: 'main' })) },
      main: { type: 'menu', ...(await asking(MENU_HZ)), choices },
      record: { type: 'record', action: 'start', next: 'auth' },
      auth: { type: 'auth_menu', ...(await asking(AUTH_HZ)), choices: { 5: 'pin' } },
      pin: { type: 'gather', ...(await asking(GATHER_HZ)), variable: 'pin', next: 'note' },
      note: { type: 'set', values: { note: '{{pin}}' }, next: 'ask' },
      ask: {
        type: 'http',
        url: this.receiver.url('/crm'),
        body: { pin: '{{note}}' },
        response: { tier: 'customer.tier' },
        next: 'vip',
        failed: 'end',
      },
      vip: {
        type: 'branch',
        cases: [{ variable: 'tier', operator: 'equals', value: 'gold', next: 'ring' }],
        next: 'end',
      },
      ring: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'wait' },
      wait: { type: 'queue', queue_id: queue, next: 'code' },
      code: {
        type: 'verify',
        to: agentNumber,
        channel: 'voice',
        language: 'en',
        code_length: 4,
        prompt: await this.#audio(GATHER_HZ),
        timeout_seconds: 60,
        next: 'inner',
        failed: 'end',
      },
      inner: { type: 'subflow', callflow_id: inner, next: 'on' },
      on: { type: 'goto', next: 'words' },
      words: { type: 'say', text: 'Thank you {{note | digits}}.', language: 'en', next: 'last' },
      last: await this.#tone(PLAY_HZ, 'end'),
      message: { type: 'voicemail' },
      away: { type: 'transfer', to: { type: 'agent', target: '1001' } },
      room: { type: 'conference', name: 'every node', next: 'end' },
      end: { type: 'hangup' },
    };
  }

  async #tone(hz: number, next: string): Promise<Json> {
    return { type: 'play', ...(await this.#audio(hz)), next };
  }

  async #audio(hz: number): Promise<Json> {
    return { audio_id: await this.line.upload(hz) };
  }
}
