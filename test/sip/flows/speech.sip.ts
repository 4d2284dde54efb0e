import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { readWav, toneSeconds, type Audio } from '../../support/judges/audio.js';
import { AGENT_HZ, CUSTOMER_HZ, Talkers } from '../../support/calls/conversation.js';
import { eventually } from '../../support/eventually.js';
import { hearsMore } from '../../support/judges/hearing.js';
import { OpenAiPeer, type AskedText } from '../../support/peers/openai-peer.js';
import { TestPlatform } from '../../support/platform/platform.js';

/** The tones of the synthesised voice and of the voicemail box. */
const VOICE_HZ = 1400;
const BEEP_HZ = 1000;

/** Transcribes the phones' tones. */
function transcriptionOf({ file }: AskedText): object {
  const audio = readWav(file);
  const [customer, agent] = [toneSeconds(audio, CUSTOMER_HZ), toneSeconds(audio, AGENT_HZ)];
  const text = customer > agent ? 'my order is late' : 'I am sorry to hear that';
  // The agent speaks later: the agent is called after the customer has answered.
  const start = customer > agent ? 0.2 : 1;
  return {
    text,
    language: 'english',
    segments: [{ start, end: start + 0.5, text, avg_logprob: -0.05, no_speech_prob: 0 }],
  };
}

describe('speech', () => {
  let peer: OpenAiPeer;
  let stage: TestPlatform;
  let talkers: Talkers;

  before(async () => {
    peer = await OpenAiPeer.start('key-1');
    peer.hears = transcriptionOf;
    peer.voices = { ann: VOICE_HZ, amal: VOICE_HZ };
    stage = await TestPlatform.start({
      settings: {
        TRANSCRIPTION_URL: peer.baseUrl,
        TRANSCRIPTION_API_KEY: 'key-1',
        TRANSCRIPTION_MODEL: 'whisper-1',
        TTS_URL: peer.baseUrl,
        TTS_API_KEY: 'key-1',
        TTS_VOICE_AR: 'amal',
        TTS_VOICE_EN: 'ann',
      },
    });
    talkers = await Talkers.at(stage);
  });
  afterEach(() => stage.assertSound());
  after(async () => {
    await stage.stop();
    await peer.close();
  });

  async function transcriptOf(callId: string): Promise<Record<string, unknown>> {
    const answer = await stage.request('GET', `/v1/calls/${callId}/transcript`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body ?? {};
  }

  it('uses the configured voice', async () => {
    const { customer } = talkers;
    const text = 'رصيدك خمسة ريالات';
    const { call_id: callId } = await stage.call({
      to: stage.agent('1001').number,
      play: { text, language: 'ar' },
    });
    const id = await customer.incoming();
    await customer.answer(id);
    await customer.waitToHear((audio) => toneSeconds(audio, VOICE_HZ) > 0.3, { callId: id });
    await stage.over(callId);
    expect(peer.spoken).to.deep.include({ model: 'tts-1', input: text, voice: 'amal', response_format: 'wav' });
  });

  it('of a recorded call is transcribed after its end, by speaker', async () => {
    const talking = await talkers.conversation({ record: true, transcribe: true });
    await hearsMore(talkers.customer, talking.customerCall, AGENT_HZ, 1);
    await talkers.ends(talking);
    const event = await stage.receivedEvent(talking.callId, 'call.transcribed');
    expect(event.data.transcript).to.include({ status: 'completed', language: 'en', engine: 'openai:whisper-1' });
    expect(event.data).to.include({ status: 'ended', recording_available: true });
    const { turns, text } = (await transcriptOf(talking.callId)) as { turns: object[]; text: string };
    expect(turns).to.have.length(2);
    expect(turns[0]).to.include({ speaker: 'customer', text: 'my order is late' });
    expect(turns[1]).to.include({ speaker: 'agent', text: 'I am sorry to hear that' });
    expect(text).to.equal('my order is late\nI am sorry to hear that');
    // Each channel was sent separately, with the tone of its own phone.
    expect(peer.asked.map(({ file }) => toneSeconds(readWav(file), CUSTOMER_HZ) > 0.5)).to.deep.equal([true, false]);
    // The call's events have no gap.
    await stage.over(talking.callId);
  });

  it('is also transcribed on command, but only for that recording', async () => {
    const talking = await talkers.conversation();
    await talkers.does(talking.callId, 'recording/start', { channels: 1 });
    await hearsMore(talkers.customer, talking.customerCall, AGENT_HZ, 0.5);
    await talkers.does(talking.callId, 'recording/stop');
    await talkers.does(talking.callId, 'recording/start', { channels: 1, transcribe: true });
    await hearsMore(talkers.customer, talking.customerCall, AGENT_HZ, 0.5);
    const before = peer.asked.length;
    await talkers.ends(talking);
    await stage.receivedEvent(talking.callId, 'call.transcribed');
    expect(peer.asked.length).to.equal(before + 1);
    const { turns } = (await transcriptOf(talking.callId)) as { turns: { speaker: string | null }[] };
    expect(turns.map(({ speaker }) => speaker)).to.deep.equal([null]);
  });

  it('of a voicemail message is in the box as text until the message is deleted through *98', async () => {
    const { customer, agent } = talkers;
    const { number } = stage.agent('1001');
    const sql = 'SELECT id FROM numbers WHERE e164 = $1';
    const [row] = await stage.platform.stores.db.query<{ id: string }>(sql, [number]);
    const json = { enabled: true, greeting: { text: 'No.', language: 'en' }, transcribe: true, pin: '4711' };
    const box = await stage.request('PUT', `/v1/numbers/${row!.id}/voicemail`, { json });
    expect(box.status, box.text).to.equal(200);
    const { id, callId } = await stage.dialIn(agent, number);
    await customer.hangup(await customer.incoming());
    await agent.waitToHear((audio) => toneSeconds(audio, BEEP_HZ) > 0.1, { callId: id });
    // No event reports the length of a message while the caller speaks.
    await pause(2000);
    await agent.hangup(id);
    const received = await stage.receivedEvent(callId, 'voicemail.received');
    expect(received.data).to.include({ transcription_status: 'pending', transcription_text: null });
    const { data } = await stage.receivedEvent(callId, 'voicemail.transcribed');
    const text = 'I am sorry to hear that';
    expect(data).to.include({ id: received.data.id, transcription_status: 'completed', transcription_text: text });
    const { body } = await stage.request('GET', `/v1/voicemails/${String(data.id)}`);
    expect(body).to.include({ transcription_status: 'completed', transcription_text: text });
    const link = await stage.request('GET', `/v1/voicemails/${String(data.id)}/recording`);
    const downloaded = await fetch(String(link.body?.url));
    expect(toneSeconds(readWav(new Uint8Array(await downloaded.arrayBuffer())), AGENT_HZ)).to.be.above(1);
    const { id: listening } = await stage.dialIn(customer, '*98');
    await customer.waitToHear((audio) => toneSeconds(audio, VOICE_HZ) > 0.3, { callId: listening });
    await customer.sendDtmf('4711#');
    const said = (audio: Audio): boolean => toneSeconds(audio, AGENT_HZ) > 1;
    await customer.waitToHear(said, { callId: listening, timeoutMs: 30_000 });
    await customer.sendDtmf('3');
    const { db } = stage.platform.stores;
    const remaining = (): Promise<object[]> =>
      db.query(
        `SELECT 'text' FROM transcripts WHERE recording_id = $1 UNION ALL SELECT 'message' FROM voicemails WHERE id = $1`,
        [data.id],
      );
    await eventually(async () => (await remaining()).length === 0, 'message and text are gone');
    await customer.hangup(listening);
    expect((await fetch(String(link.body?.url))).status).to.equal(404);
  });
});
