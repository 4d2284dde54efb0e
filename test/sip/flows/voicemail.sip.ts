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
/** The agent whose box it is, who has no phone at first. */
const AWAY = '1901';
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
    // No other file's: the Asterisk that they share may still know the softphones of others.
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

  /** Resolves when the caller has heard the tone once more. */
  const beeps = async (id: string, times = 1): Promise<void> => {
    await caller.waitToHear((audio) => toneSeconds(audio, BEEP_HZ) > 0.2 * times - 0.1, { callId: id });
  };

  /** The caller goes on speaking: how long a message lasts is the caller's doing, and nothing tells of it meanwhile. */
  const speaks = (seconds: number): Promise<void> => pause(seconds * 1000);

  /** The caller presses this, and is asked what to do then. */
  const asked = async (id: string, digit: string): Promise<void> => {
    const heard = since(caller, id);
    await caller.sendDtmf(digit);
    await caller.waitToHear(() => loudSeconds(heard()) > 0.3, { callId: id });
  };

  /** Where the storage is. */
  const folder = (): string => recordingsFolder(stage.settings);

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
    const { sequence, recovered, ...told } = message;
    expect((await stage.request('GET', `/v1/voicemails/${String(message.id)}`)).body).to.deep.equal(told);
    expect((await stage.request('GET', `/v1/calls/${callId}/recordings`)).body).to.deep.equal({ data: [] });
  });

  it('is heard and recorded again by its caller, and sent', async () => {
    const { id, callId } = await stage.dialIn(caller, number);
    await beeps(id);
    await speaks(3);
    await asked(id, '#');
    const heard = since(caller, id);
    await caller.sendDtmf('2');
    await caller.waitToHear(() => toneSeconds(heard(), SAID_HZ) > 1.5, { callId: id });
    await caller.sendDtmf('3');
    await beeps(id, 2);
    await speaks(1.6);
    await asked(id, '#');
    await caller.sendDtmf('1');
    expect(await caller.closed(id)).to.be.a('string');
    await stage.over(callId);
    const message = await received(callId);
    const audio = await audioOf(message.id);
    // Not the first, of three seconds, and what is said then.
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

    /** What the lamp was told last. */
    const lamp = (): string | undefined =>
      agent
        .log()
        .split(/^NOTIFY /m)
        .slice(1)
        .map((text) => /^Messages-Waiting: (\w+)\s[^]*?^Voice-Message: (\S+)/m.exec(text)?.slice(1).join(' '))
        .at(-1);
    const lampIs = (shown: RegExp): Promise<unknown> =>
      eventually(() => shown.test(lamp() ?? ''), `the lamp is ${String(shown)}, not ${lamp() ?? 'told'}`);
    const messages = async (): Promise<{ id: string; listened_at: string | null }[]> =>
      (await stage.request('GET', '/v1/voicemails')).body?.data as { id: string; listened_at: string | null }[];
    /** Somebody speaks to the agent's phone: a prompt is under way, and digits are waited for. */
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

    it('takes the call where the agent is busy, lights the lamp, is heard by *98 with the PIN, and deleted', async () => {
      await setUp({ pin: '4711' });
      const before = await messages();
      await lampIs(/^yes /);
      const { id, callId } = await stage.dialIn(caller, number);
      await agent.reject(await agent.incoming());
      await beeps(id);
      await speaks(2.5);
      await caller.hangup(id);
      const { id: messageId } = await received(callId);
      await lampIs(new RegExp(`^yes ${before.length + 1}/0`));

      const kept = filesBelow(folder()).length;
      const listening = await admitted();
      // The oldest comes first; the one just left is the last.
      for (let left = before.length; left > 0; left -= 1) {
        await prompted(listening);
        await agent.sendDtmf('2');
      }
      // From whom and when is said before it.
      const heard = since(agent, listening);
      await agent.waitToHear(() => toneSeconds(heard(), SAID_HZ) > 1.2, { callId: listening, timeoutMs: 30_000 });
      await agent.sendDtmf('3');
      await eventually(async () => (await messages()).every(({ id }) => id !== messageId), 'the message is deleted');
      await agent.hangup(listening);
      expect((await messages()).every(({ listened_at }) => listened_at !== null)).to.equal(true);
      await eventually(() => filesBelow(folder()).length === kept - 1, 'its audio is gone');
      await lampIs(new RegExp(`^no 0/${before.length}`));
      expect(JSON.stringify(await stage.request('GET', '/v1/events'))).not.to.include('4711');
    });

    it('lets nobody in without the right PIN', async () => {
      await setUp({ pin: '4711' });
      const { id } = await stage.dialIn(agent, '*98');
      for (let tries = 0; tries < 3; tries += 1) {
        await prompted(id);
        await agent.sendDtmf('0000#');
      }
      expect(await agent.closed(id)).to.be.a('string');
    });

    it('records a greeting of one’s own', async () => {
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
      await eventually(async () => (await greeting()).recorded_by_phone, 'the greeting is the box’s');
      const { id } = await stage.dialIn(caller, number);
      await agent.reject(await agent.incoming());
      await caller.waitToHear(hears(AGENT_HZ, 1.2), { callId: id });
      await beeps(id);
      await caller.hangup(id);
    });
  });
});
