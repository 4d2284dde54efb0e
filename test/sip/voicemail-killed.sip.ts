import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { readWav, toneSeconds } from '../support/audio.js';
import { eventually } from '../support/eventually.js';
import type { Baresip } from '../support/phones/index.js';
import { embeddedSettings } from '../support/platform-process.js';
import { ProcessStage } from '../support/process-stage.js';

const CALLER_HZ = 1400;
const BEEP_HZ = 1000;

interface Message {
  readonly id: string;
  readonly call_id: string;
  readonly duration_seconds: number;
}

describe('a message whose application is killed', () => {
  let stage: ProcessStage;
  let caller: Baresip;
  let number: string;

  before(async () => {
    stage = await ProcessStage.start(await embeddedSettings(await mkdtemp(join(tmpdir(), 'hatif-voicemail-'))));
    caller = await stage.softphone(1, CALLER_HZ);
    number = stage.bootstrap.sip.agents[0]!.number;
    const numbers = (await stage.request('GET', '/v1/numbers')).body?.data as { id: string; e164: string }[];
    const { id } = numbers.find(({ e164 }) => e164 === number)!;
    const greeting = { text: 'No.', language: 'en' };
    const answer = await stage.request('PUT', `/v1/numbers/${id}/voicemail`, { enabled: true, greeting });
    expect(answer.status, answer.text).to.equal(200);
  });
  after(() => stage.close());

  const messages = async (): Promise<Message[]> =>
    (await stage.request('GET', '/v1/voicemails')).body?.data as Message[];

  /** A caller who speaks behind the tone. */
  async function speaking(): Promise<string> {
    const id = await caller.dial(number);
    await caller.waitToHear((audio) => toneSeconds(audio, BEEP_HZ) > 0.1, { callId: id });
    await pause(1_500);
    return id;
  }

  async function arrived(before: number): Promise<Message> {
    await eventually(async () => (await messages()).length === before + 1, 'the message');
    return (await messages())[0]!;
  }

  async function secondsOf({ id }: Message): Promise<number> {
    const { body } = await stage.request('GET', `/v1/voicemails/${id}/recording`);
    const audio = readWav(new Uint8Array(await (await fetch(String(body?.url))).arrayBuffer()));
    return toneSeconds(audio, CALLER_HZ);
  }

  it('goes on, and is kept whole where its caller hangs up while nobody is there', async () => {
    const id = await speaking();
    await stage.kill();
    await pause(1_500);
    await caller.hangup(id);
    await stage.start();
    const message = await arrived(0);
    expect(await secondsOf(message)).to.be.within(2.5, 6);
    expect(await stage.becomes(message.call_id, 'ended')).to.include({ disposition: 'answered' });
  });

  it('is ended by the caller at the next application, and told once', async () => {
    const id = await speaking();
    await stage.kill();
    await stage.start();
    const [call] = (await stage.request('GET', '/v1/calls?limit=1')).body?.data as [{ readonly call_id: string }];
    await stage.adopted(call.call_id);
    await caller.sendDtmf('#');
    const before = caller.heard(id).seconds;
    await caller.waitToHear((audio) => audio.seconds > before + 0.5, { callId: id });
    // The menu is heard when the application goes again: what was said waits for its caller.
    await stage.kill();
    await stage.start();
    await caller.hangup(id);
    const message = await arrived(1);
    expect(message.call_id).to.equal(call.call_id);
    expect(await secondsOf(message)).to.be.above(1);
    const told = (await stage.request('GET', `/v1/events?call_id=${call.call_id}`)).body?.data as { type: string }[];
    expect(told.filter(({ type }) => type === 'voicemail.received')).to.have.length(1);
  });
});
