import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { FlowLanguage } from '../../../core/model/flow/parts/fields.js';
import { readChannels, toneSeconds, type Audio } from '../judges/audio.js';
import { eventually } from '../eventually.js';
import { EVERY_DAY, FlowLine, type FlowCall } from './flow-line.js';
import { hears, hearsMore, since, talk } from '../judges/hearing.js';
import type { Baresip } from '../phones/index.js';
import type { ProcessStage } from '../stages/process-stage.js';
import { shareSaid } from '../judges/said.js';
import { digitPrompts, digitsSaid } from '../judges/spoken-digits.js';
import { AGENT_HZ, CUSTOMER, type TrunkTalkers } from './trunk-talkers.js';
import { VoicemailLine } from './voicemail-line.js';

const CALLER_HZ = 1400;
const [INNER_HZ, CODE_HZ, BYE_HZ, MENU_HZ, NEW_HZ] = [1100, 1250, 1700, 800, 1900];
const END = { type: 'hangup' };
/** Searching audio is slow, so it is not repeated for each packet. */
const LOOK_SECONDS = 1;
const SORRY_EN = 'Sorry, something has gone wrong on our side. Please call again later.';
const SORRY_AR = 'نعتذر، حدث خلل فني. نرجو الاتصال لاحقًا.';

/** The platform as a separate process on one engine, with a trunk. */
export interface FlowGround {
  readonly application: ProcessStage;
  readonly carrierPort: number;
  close(): Promise<void>;
}

/** Call flow tests with real phones for every engine. The audio that the phones receive is analysed. */
export function flowScenarios(open: () => Promise<FlowGround>): void {
  let ground: FlowGround;
  let stage: ProcessStage;
  let talkers: TrunkTalkers;
  let caller: Baresip;
  let line: FlowLine;
  const audio = new Map<number, string>();

  before(async function () {
    this.timeout(180_000);
    ground = await open();
    stage = ground.application;
    talkers = await stage.talkers(ground.carrierPort);
    caller = await stage.softphone(1, CALLER_HZ);
    line = await FlowLine.open(stage, caller);
    for (const hz of [INNER_HZ, CODE_HZ, BYE_HZ, MENU_HZ, NEW_HZ]) audio.set(hz, await line.upload(hz));
  });
  after(() => ground.close());

  const prompt = (hz: number): object => ({ audio_id: audio.get(hz) });
  const tone = (hz: number, next: string): object => ({ type: 'play', ...prompt(hz), next });
  /** Resolves when the caller has heard the complete text. */
  const hearsSaid = async (heard: () => Audio, id: string, text: string, language: FlowLanguage): Promise<void> => {
    const voice = await line.voice(text, language);
    let looked = voice.seconds - LOOK_SECONDS;
    const isSaid = (): boolean => {
      if (heard().seconds < looked + LOOK_SECONDS) return false;
      looked = heard().seconds;
      return shareSaid(heard(), voice) > 0.8;
    };
    await caller.waitToHear(isSaid, { callId: id, timeoutMs: 30_000 });
  };
  const recordingOf = async ({ callId }: FlowCall): Promise<ReturnType<typeof readChannels>> => {
    const answer = await eventually(async () => {
      const asked = await stage.request('GET', `/v1/calls/${callId}/recording`);
      return asked.status === 200 && asked;
    }, 'the recording to be stored');
    return readChannels(new Uint8Array(await (await fetch(String(answer.body?.url))).arrayBuffer()));
  };
  /** Answers a call at the carrier that speaks a code. @returns its digits */
  const spokenCode = async (): Promise<string> => {
    const ringing = await talkers.carrier.incoming();
    await talkers.carrier.answer(ringing);
    await talkers.carrier.closed(ringing, 60_000);
    const digits = await digitPrompts(line.speech, 'en');
    const said = digitsSaid(talkers.carrier.heard(ringing), digits);
    expect(said).to.match(/^(\d{4})\1$/);
    return said.slice(0, 4);
  };

  it('follow hours, speak values, record, verify, call flows, wait in a queue and take a message', async function () {
    this.timeout(180_000);
    const [agent] = stage.bootstrap.sip.agents;
    const { id: queue } = await line.good('POST', '/v1/queues', { name: 'nobody', max_wait_seconds: 5 });
    const box = await VoicemailLine.open(stage, caller);
    const inner = await line.flow({ in: tone(INNER_HZ, 'return') });
    const leave = await line.flow({
      bye: tone(BYE_HZ, 'box'),
      box: { type: 'voicemail', number: agent!.number },
    });
    const call = await line.call(
      await line.flow({
        open: { type: 'hours', hours: { week: EVERY_DAY }, open: 'shut', closed: 'wrong' },
        shut: { type: 'hours', hours: { week: {} }, open: 'wrong', closed: 'values' },
        values: { type: 'set', values: { amount: 12.5, who: 'Sara', mobile: CUSTOMER }, next: 'told' },
        told: { type: 'say', text: 'Dear {{who}}, you owe {{amount | money}}.', next: 'tape' },
        tape: { type: 'record', action: 'start', next: 'inner' },
        inner: { type: 'subflow', callflow_id: inner, next: 'own' },
        own: { type: 'verify', next: 'wrong', failed: 'why' },
        why: {
          type: 'branch',
          cases: [{ variable: 'verify_status', operator: 'equals', value: 'own_line', next: 'hop' }],
          next: 'wrong',
        },
        hop: { type: 'goto', next: 'code' },
        code: {
          ...{ type: 'verify', to: '{{mobile}}', channel: 'voice', code_length: 4, prompt: prompt(CODE_HZ) },
          ...{ timeout_seconds: 60, next: 'stop', failed: 'wrong' },
        },
        stop: { type: 'record', action: 'stop', next: 'wait' },
        wait: { type: 'queue', queue_id: queue, next: 'leave' },
        leave: { type: 'goto', callflow_id: leave },
        wrong: END,
      }),
    );
    const { id, callId } = call;
    await hearsSaid(() => caller.heard(id), id, 'Dear Sara, you owe twelve riyals and fifty halalas.', 'en');
    expect(shareSaid(caller.heard(id), await line.voice(SORRY_EN, 'en')), 'other words').to.equal(0);
    await caller.waitToHear(hears(CODE_HZ, 0.8), { callId: id });
    // Once: it lasts for 1.2 seconds.
    expect(toneSeconds(caller.heard(id), INNER_HZ)).to.be.within(0.7, 1.8);
    const code = await spokenCode();
    await caller.sendDtmf(code);
    // Music, because no agent is available.
    await caller.waitToHear(hears(BYE_HZ, 0.8), { callId: id, timeoutMs: 20_000 });
    await box.speaks(id);
    await caller.hangup(id);
    expect(await stage.becomes(callId, 'ended')).to.include({ disposition: 'answered' });
    expect(await line.path(callId)).to.deep.equal(
      [
        'open',
        'shut',
        'values',
        'told',
        'tape',
        'inner',
        'in',
        'own',
        'why',
        'hop',
        'code',
        'stop',
        'wait',
        'leave',
      ].concat(['bye', 'box']),
    );
    const message = await box.newestOf(1);
    expect(message.call_id).to.equal(callId);
    expect(toneSeconds(await box.audioOf(message), CALLER_HZ)).to.be.above(1);
    const [own, heard] = await recordingOf(call);
    expect(toneSeconds(own!, CALLER_HZ), 'the caller is recorded').to.be.above(1);
    expect(toneSeconds(heard!, INNER_HZ), 'and what the caller hears').to.be.above(0.8);
    expect(toneSeconds(heard!, BYE_HZ), 'up to the stop').to.equal(0);
    const story = JSON.stringify([await stage.timeline(callId), (await stage.request('GET', '/v1/events')).body]);
    expect(story, 'no event contains the code').to.contain(callId).and.not.to.contain(`"${code}"`);
  });

  it('resume at their node and version after the application is killed, and connect to a queue', async function () {
    this.timeout(120_000);
    const { id: queue } = await line.good('POST', '/v1/queues', { name: 'desk', wrap_up_seconds: 0 });
    await line.good('POST', '/v1/queues/agents/login', { agent: '1001', queue: 'desk' });
    const question = { type: 'menu', prompt: prompt(MENU_HZ), timeout_seconds: 20, no_input: 'end' };
    const flowId = await line.flow({
      pin: { type: 'gather', prompt: prompt(CODE_HZ), variable: 'pin', max_digits: 6, next: 'main', no_input: 'end' },
      main: { ...question, choices: { 5: 'told' } },
      told: { type: 'say', text: '{{pin | digits}}', next: 'line' },
      line: { type: 'queue', queue_id: queue },
      end: END,
    });
    const { id, callId } = await line.call(flowId);
    await caller.waitToHear(hears(CODE_HZ, 0.3), { callId: id });
    await caller.sendDtmf('471182');
    await caller.waitToHear(hears(MENU_HZ, 0.3), { callId: id });
    await line.change(flowId, { new: tone(NEW_HZ, 'end'), end: END });
    await stage.kill();
    const again = since(caller, id);
    await stage.start();
    await stage.adopted(callId);
    // The prompt plays again from the start: its remainder was shorter than a second.
    await caller.waitToHear(() => toneSeconds(again(), MENU_HZ) > 1, { callId: id });
    await caller.sendDtmf('5');
    await hearsSaid(again, id, 'four, seven, one, one, eight, two', 'en');
    const atAgent = await talkers.agent.incoming();
    await talkers.agent.answer(atAgent);
    await talk({ phone: caller, hz: CALLER_HZ, callId: id }, { phone: talkers.agent, hz: AGENT_HZ, callId: atAgent });
    await talkers.agent.hangup(atAgent);
    await caller.closed(id);
    expect(await stage.becomes(callId, 'ended')).to.include({ agent: '1001', served_queue_id: queue });
    expect(await line.path(callId)).to.deep.equal(['pin', 'main', 'told', 'line']);
    expect(JSON.stringify(await stage.timeline(callId))).not.to.contain('471182');
    const later = await line.call(flowId);
    await hearsMore(caller, later.id, NEW_HZ, 0.8);
    await caller.closed(later.id);
  });

  it('continue if an audio file is missing from the disk, and ask a question without its prompt', async () => {
    const gone = await line.upload(NEW_HZ);
    const flowId = await line.flow({
      lost: { type: 'play', audio_id: gone, next: 'here' },
      here: tone(MENU_HZ, 'ask'),
      ask: { type: 'menu', prompt: { audio_id: gone }, choices: { 5: 'bye' }, timeout_seconds: 10, no_input: 'end' },
      bye: tone(BYE_HZ, 'end'),
      end: END,
    });
    const uploads = join(stage.dataDir, 'media', 'uploads');
    const files = (await readdir(uploads)).filter((name) => name.startsWith(gone));
    expect(files).to.have.length(2);
    for (const name of files) await rm(join(uploads, name));
    const { id, callId } = await line.call(flowId);
    await caller.waitToHear(hears(MENU_HZ, 0.8), { callId: id });
    await eventually(async () => (await line.path(callId)).at(-1) === 'ask', 'the question');
    await caller.sendDtmf('5');
    await caller.waitToHear(hears(BYE_HZ, 0.8), { callId: id });
    await caller.closed(id);
    await stage.becomes(callId, 'ended');
    expect(await line.path(callId)).to.deep.equal(['lost', 'here', 'ask', 'bye', 'end']);
    expect((await stage.timeline(callId)).map(({ type }) => type)).to.include('play.failed');
  });

  it('end a flow that exceeds the step limit with an apology in both languages', async function () {
    this.timeout(60_000);
    const { id, callId } = await line.call(
      await line.flow({
        first: tone(MENU_HZ, 'own'),
        own: { type: 'set', values: { mine: '{{caller_number}}' }, next: 'round' },
        round: { type: 'verify', to: '{{mine}}', channel: 'voice', next: 'end', failed: 'round' },
        end: END,
      }),
    );
    const heard = (): Audio => caller.heard(id);
    await hearsSaid(heard, id, SORRY_AR, 'ar');
    await hearsSaid(heard, id, SORRY_EN, 'en');
    await caller.closed(id);
    await stage.becomes(callId, 'ended');
    const fault = (await stage.timeline(callId)).find(({ type }) => type === 'flow.fault');
    expect(fault?.data).to.include({ node: 'round', reason: 'the flow took 100 steps while nobody did anything' });
  });
}
