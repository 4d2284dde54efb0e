import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { recordingsFolder } from '../../../main/install/places.js';
import { loudSeconds, readWav, toneSeconds, type Audio } from '../../support/judges/audio.js';
import { hears, since } from '../../support/judges/hearing.js';
import { eventually } from '../../support/eventually.js';
import { filesBelow } from '../../support/files-below.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const SAID_HZ = 600;
const AGENT_HZ = 700;
/** The agent who owns the box and has no phone at first. */
const AWAY = '1901';
const BEEP_HZ = 1000;
/** A greeting that does not sound like the tone. */
const GREETING = { text: 'No.', language: 'en' };

describe('voicemail', () => {
  let stage: TestPlatform;
  let caller: Baresip;
  let number: string;
  let path: string;

  withPlatform(async (made) => {
    stage = made;
    caller = await stage.softphone('1002', { source: { toneHz: SAID_HZ } });
    // A new agent: the shared Asterisk may still have other files' softphones registered.
    await stage.newAgent(AWAY);
    ({ number } = stage.agent(AWAY));
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

  /** Resolves when the caller has heard the tone this many times. */
  const beeps = async (id: string, times = 1): Promise<void> => {
    await caller.waitToHear((audio) => toneSeconds(audio, BEEP_HZ) > 0.2 * times - 0.1, { callId: id });
  };

  /** The caller keeps speaking; no event reports the length of a message meanwhile. */
  const speaks = (seconds: number): Promise<void> => pause(seconds * 1000);

  /** The caller presses the digit and hears the menu. */
  const pressForMenu = async (id: string, digit: string): Promise<void> => {
    const heard = since(caller, id);
    await caller.sendDtmf(digit);
    await caller.waitToHear(() => loudSeconds(heard()) > 0.3, { callId: id });
  };

  /** The folder of the recording storage. */
  const folder = (): string => recordingsFolder(stage.settings);

  const received = async (callId: string): Promise<Record<string, unknown>> =>
    (await stage.receivedEvent(callId, 'voicemail.received')).data;

  const audioOf = async (messageId: unknown): Promise<Audio> => {
    const answer = await stage.request('GET', `/v1/voicemails/${String(messageId)}/recording`);
    expect(answer.status, answer.text).to.equal(200);
    const response = await fetch(String(answer.body?.url));
    expect(response.status).to.equal(200);
    return readWav(new Uint8Array(await response.arrayBuffer()));
  };

  it('records a message if the agent is not registered; hanging up sends it', async () => {
    const { id, callId } = await stage.dialIn(caller, number);
    await beeps(id);
    const since = performance.now();
    const spoke = (): number => (over - since) / 1000;
    await speaks(2.5);
    await caller.hangup(id);
    const call = await stage.over(callId);
    const over = performance.now();
    expect(call).to.include({ status: 'ended', disposition: 'answered', recording_available: false });
    const message = await received(callId);
    expect(message).to.include({ number, from: stage.agent('1002').number, recording_available: true });
    expect(message).to.include({ transcription_status: 'disabled', listened_at: null });
    const audio = await audioOf(message.id);
    expect(message.duration_seconds).to.be.closeTo(audio.seconds, 0.6);
    expect(audio.seconds).to.be.within(2, spoke() + 1);
    expect(toneSeconds(audio, SAID_HZ)).to.be.above(audio.seconds - 0.8);
    const { sequence, recovered, ...expected } = message;
    expect((await stage.request('GET', `/v1/voicemails/${String(message.id)}`)).body).to.deep.equal(expected);
    expect((await stage.request('GET', `/v1/calls/${callId}/recordings`)).body).to.deep.equal({ data: [] });
  });

  it('says in the timeline that the caller hung up before the tone', async () => {
    await setUp({ greeting: { text: 'Nobody is here now. Please call again tomorrow morning.', language: 'en' } });
    const { id, callId } = await stage.dialIn(caller, number);
    await caller.waitToHear((audio) => loudSeconds(audio) > 0.3, { callId: id });
    await caller.hangup(id);
    expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
    const notes = (await stage.timeline(callId)).filter(({ type }) => type.startsWith('voicemail.'));
    expect(notes.map(({ type, data }) => ({ type, data }))).to.deep.equal([
      { type: 'voicemail.not_recorded', data: { reason: 'caller_hung_up_before_tone' } },
    ]);
    await setUp();
  });

  it('plays a message to its caller, records it again, and sends it', async () => {
    const { id, callId } = await stage.dialIn(caller, number);
    await beeps(id);
    await speaks(3);
    await pressForMenu(id, '#');
    const heard = since(caller, id);
    await caller.sendDtmf('2');
    await caller.waitToHear(() => toneSeconds(heard(), SAID_HZ) > 1.5, { callId: id });
    await caller.sendDtmf('3');
    await beeps(id, 2);
    await speaks(1.6);
    await pressForMenu(id, '#');
    await caller.sendDtmf('1');
    expect(await caller.closed(id)).to.be.a('string');
    await stage.over(callId);
    const message = await received(callId);
    const audio = await audioOf(message.id);
    // Only the second recording, not the first one of three seconds or the speech during the menu.
    expect(audio.seconds).to.be.within(1.2, 4);
    expect(toneSeconds(audio, SAID_HZ)).to.be.above(1);
    const list = (await stage.request('GET', '/v1/voicemails?limit=1')).body?.data as { id: string; call_id: string }[];
    expect(list.map(({ call_id }) => call_id)).to.deep.equal([callId]);
  });

  describe('on the agent’s softphone', () => {
    let agent: Baresip;
    before(async () => {
      agent = await stage.softphone(AWAY, { source: { toneHz: AGENT_HZ }, trace: true });
    });

    /** Returns the last MWI (message waiting indicator) notification. */
    const lastMwi = (): string | undefined =>
      agent
        .log()
        .split(/^NOTIFY /m)
        .slice(1)
        .map((text) => /^Messages-Waiting: (\w+)\s[^]*?^Voice-Message: (\S+)/m.exec(text)?.slice(1).join(' '))
        .at(-1);
    const mwiBecomes = (shown: RegExp): Promise<unknown> =>
      eventually(() => shown.test(lastMwi() ?? ''), `MWI is ${String(shown)}, not ${lastMwi() ?? 'sent'}`);
    const messages = async (): Promise<{ id: string; listened_at: string | null }[]> =>
      (await stage.request('GET', '/v1/voicemails')).body?.data as { id: string; listened_at: string | null }[];
    /** Resolves when the agent's phone hears a prompt, which waits for digits. */
    const prompted = async (id: string): Promise<void> => {
      const heard = since(agent, id);
      await agent.waitToHear(() => loudSeconds(heard()) > 0.3, { callId: id });
    };
    const admitted = async (): Promise<string> => {
      const { id } = await stage.dialIn(agent, '*98');
      await prompted(id);
      await agent.sendDtmf('4711#');
      return id;
    };

    it('answers if the agent is busy, updates MWI, plays and deletes messages through *98 with the PIN', async () => {
      await setUp({ pin: '4711' });
      const before = await messages();
      await mwiBecomes(/^yes /);
      const { id, callId } = await stage.dialIn(caller, number);
      await agent.reject(await agent.incoming());
      await beeps(id);
      await speaks(2.5);
      await caller.hangup(id);
      const { id: messageId } = await received(callId);
      await mwiBecomes(new RegExp(`^yes ${before.length + 1}/0`));

      const filesBefore = filesBelow(folder()).length;
      const listening = await admitted();
      // The oldest comes first; the one just left is the last.
      for (let left = before.length; left > 0; left -= 1) {
        await prompted(listening);
        await agent.sendDtmf('2');
      }
      // The caller and the time are spoken before the message.
      const heard = since(agent, listening);
      await agent.waitToHear(() => toneSeconds(heard(), SAID_HZ) > 1.2, { callId: listening, timeoutMs: 30_000 });
      await agent.sendDtmf('3');
      await eventually(async () => (await messages()).every(({ id }) => id !== messageId), 'the message is deleted');
      await agent.hangup(listening);
      expect((await messages()).every(({ listened_at }) => listened_at !== null)).to.equal(true);
      await eventually(() => filesBelow(folder()).length === filesBefore - 1, 'its audio is gone');
      await mwiBecomes(new RegExp(`^no 0/${before.length}`));
      expect(JSON.stringify(await stage.request('GET', '/v1/events'))).not.to.include('4711');
    });

    it('hangs up after three wrong PINs', async () => {
      await setUp({ pin: '4711' });
      const { id } = await stage.dialIn(agent, '*98');
      for (let tries = 0; tries < 3; tries += 1) {
        await prompted(id);
        await agent.sendDtmf('0000#');
      }
      expect(await agent.closed(id)).to.be.a('string');
    });

    it('records the agent’s own greeting', async () => {
      const listening = await admitted();
      await prompted(listening);
      await agent.sendDtmf('8');
      await agent.waitToHear((audio) => toneSeconds(audio, BEEP_HZ) > 0.1, { callId: listening });
      await speaks(2);
      await agent.sendDtmf('#');
      await prompted(listening);
      await agent.sendDtmf('1');
      await prompted(listening);
      await agent.hangup(listening);
      const greeting = async () => (await stage.request('GET', path)).body?.greeting as { recorded_by_phone: boolean };
      await eventually(async () => (await greeting()).recorded_by_phone, 'the box has the recorded greeting');
      const { id } = await stage.dialIn(caller, number);
      await agent.reject(await agent.incoming());
      await caller.waitToHear(hears(AGENT_HZ, 1.2), { callId: id });
      await beeps(id);
      await caller.hangup(id);
    });
  });
});
