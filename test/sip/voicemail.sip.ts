import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { readWav, toneSeconds, type Audio } from '../support/audio.js';
import { since } from '../support/hearing.js';
import type { Baresip } from '../support/phones/index.js';
import type { TestPlatform } from '../support/platform.js';
import { withPlatform } from '../support/with-platform.js';

const SAID_HZ = 600;
const BEEP_HZ = 1000;
/** Any greeting that nobody takes for the tone. */
const GREETING = { text: 'No.', language: 'en' };

describe('voicemail', () => {
  let stage: TestPlatform;
  let caller: Baresip;
  let number: string;
  let path: string;

  withPlatform(async (made) => {
    stage = made;
    caller = await stage.softphone('1002', { source: { toneHz: SAID_HZ } });
    ({ number } = stage.agent('1001'));
    const [row] = await stage.platform.stores.db.query<{ id: string }>('SELECT id FROM numbers WHERE e164 = $1', [
      number,
    ]);
    path = `/v1/numbers/${row!.id}/voicemail`;
    await setUp();
  });

  const setUp = async (changes: object = {}): Promise<void> => {
    const json = { enabled: true, greeting: GREETING, ...changes };
    const answer = await stage.request('PUT', path, { json });
    expect(answer.status, answer.text).to.equal(200);
  };

  /** Resolves when the caller has heard the tone once more. */
  const beeps = async (id: string, times = 1): Promise<void> => {
    await caller.waitToHear((audio) => toneSeconds(audio, BEEP_HZ) > 0.2 * times - 0.1, { callId: id });
  };

  /** The caller goes on speaking: how long a message lasts is the caller's doing, and nothing tells of it meanwhile. */
  const speaks = (seconds: number): Promise<void> => pause(seconds * 1000);

  const received = async (callId: string): Promise<Record<string, unknown>> =>
    (await stage.told(callId, 'voicemail.received')).data;

  const audioOf = async (messageId: unknown): Promise<Audio> => {
    const answer = await stage.request('GET', `/v1/voicemails/${String(messageId)}/recording`);
    expect(answer.status, answer.text).to.equal(200);
    const response = await fetch(String(answer.body?.url));
    expect(response.status).to.equal(200);
    return readWav(new Uint8Array(await response.arrayBuffer()));
  };

  it('takes a message where the agent is away; hanging up sends it', async () => {
    const { id, callId } = await stage.dialIn(caller, number);
    await beeps(id);
    await speaks(2.5);
    await caller.hangup(id);
    const call = await stage.over(callId);
    expect(call).to.include({ status: 'ended', disposition: 'answered', recording_available: false });
    const message = await received(callId);
    expect(message).to.include({ number, from: stage.agent('1002').number, recording_available: true });
    expect(message).to.include({ transcription_status: 'disabled', listened_at: null });
    expect(message.duration_seconds).to.be.within(2, 3);
    const audio = await audioOf(message.id);
    expect(audio.seconds).to.be.within(2, 4);
    expect(toneSeconds(audio, SAID_HZ)).to.be.above(audio.seconds - 0.5);
    const { sequence, recovered, ...told } = message;
    expect((await stage.request('GET', `/v1/voicemails/${String(message.id)}`)).body).to.deep.equal(told);
    expect((await stage.request('GET', `/v1/calls/${callId}/recordings`)).body).to.deep.equal({ data: [] });
  });

  it('is heard and recorded again by its caller, and sent', async () => {
    const { id, callId } = await stage.dialIn(caller, number);
    await beeps(id);
    await speaks(3);
    await caller.sendDtmf('#');
    await speaks(0.5);
    const heard = since(caller, id);
    await caller.sendDtmf('2');
    await caller.waitToHear(() => toneSeconds(heard(), SAID_HZ) > 1.5, { callId: id });
    await caller.sendDtmf('3');
    await beeps(id, 2);
    await speaks(1.6);
    await caller.sendDtmf('#');
    await speaks(0.5);
    await caller.sendDtmf('1');
    expect(await caller.closed(id)).to.be.a('string');
    await stage.over(callId);
    const message = await received(callId);
    const audio = await audioOf(message.id);
    expect(audio.seconds).to.be.within(1.2, 2.8);
    expect(toneSeconds(audio, SAID_HZ)).to.be.above(1);
    const list = (await stage.request('GET', '/v1/voicemails?limit=1')).body?.data as { id: string; call_id: string }[];
    expect(list.map(({ call_id }) => call_id)).to.deep.equal([callId]);
  });
});
