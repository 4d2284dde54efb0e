import { expect } from 'chai';
import {
  longestSilenceSeconds,
  loudSeconds,
  rmsDb,
  slice,
  toneSeconds,
  type Audio,
} from '../../support/judges/audio.js';
import { eventually } from '../../support/eventually.js';
import { hears, hearsMore, since } from '../../support/judges/hearing.js';
import { AGENT_HZ, CUSTOMER_HZ, Talkers } from '../../support/calls/conversation.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const OUTSIDE = '+966501234517';
/** The start, the end, or a late phone may cost some hundredths of a second each; this is the limit for the sum. */
const DROPPED_SECONDS = 0.8;

describe('recording', () => {
  let stage: TestPlatform;
  let talkers: Talkers;
  let customer: Baresip;
  let agent: Baresip;

  withPlatform(async (made) => {
    stage = made;
    talkers = await Talkers.at(stage);
    ({ customer, agent } = talkers);
  });

  /** Resolves when the customer has heard the agent for these seconds more. */
  const customerHears = (id: string, seconds: number): Promise<void> => hearsMore(customer, id, AGENT_HZ, seconds);

  /** Resolves when the agent's phone has received these seconds more of audio, whatever its content. */
  async function passes(id: string, seconds: number): Promise<void> {
    const from = agent.heard(id).seconds;
    await agent.waitToHear((audio) => audio.seconds >= from + seconds, { callId: id });
  }

  /** Returns the bounds of the time between the effects of two commands, in seconds. */
  async function timed(
    begin: () => Promise<void>,
    meanwhile: () => Promise<void>,
    end: () => Promise<void>,
  ): Promise<{ readonly atLeast: number; readonly atMost: number }> {
    const sentAt = performance.now();
    await begin();
    const begunAt = performance.now();
    await meanwhile();
    const endingAt = performance.now();
    await end();
    return { atLeast: (endingAt - begunAt) / 1000, atMost: (performance.now() - sentAt) / 1000 };
  }

  const channelsOf = async (callId: string): Promise<readonly [Audio, Audio]> => {
    const channels = await stage.recording(callId);
    expect(channels).to.have.length(2);
    return [channels[0]!, channels[1]!];
  };

  it('from the answer on has each side complete on its own channel', async () => {
    const talking = await talkers.conversation({ record: true });
    expect(await stage.read(talking.callId)).to.include({ recording: true, recording_available: false });
    await customerHears(talking.customerCall, 1.5);
    await talkers.ends(talking);
    const [said, heard] = await channelsOf(talking.callId);
    const call = await stage.read(talking.callId);
    expect(call).to.include({ recording: false, recording_available: true });
    // The call's duration is in whole seconds.
    expect(Math.abs(said.seconds - call.duration_seconds!)).to.be.below(1.5);
    expect(toneSeconds(said, CUSTOMER_HZ)).to.be.above(said.seconds - DROPPED_SECONDS);
    expect(toneSeconds(said, AGENT_HZ)).to.equal(0);
    expect(toneSeconds(heard, AGENT_HZ)).to.be.above(1.5);
    expect(toneSeconds(heard, CUSTOMER_HZ)).to.equal(0);
    const event = await stage.receivedEvent(talking.callId, 'call.recording_ready');
    expect(event.data.recording).to.deep.include({ status: 'available', channels: 2, leg: 'customer', format: 'wav' });
  });

  it('starts, pauses, resumes and stops on command; a pause is silent and keeps time', async () => {
    const talking = await talkers.conversation();
    const { callId, customerCall } = talking;
    await talkers.does(callId, 'recording/start');
    await talkers.does(callId, 'recording/start');
    expect(await stage.read(callId)).to.include({ recording: true });
    await customerHears(customerCall, 1);
    const paused = await timed(
      () => talkers.does(callId, 'recording/pause'),
      async () => {
        await talkers.does(callId, 'recording/pause');
        await customerHears(customerCall, 1);
      },
      () => talkers.does(callId, 'recording/resume'),
    );
    await customerHears(customerCall, 1);
    await talkers.does(callId, 'recording/stop');
    await talkers.does(callId, 'recording/stop');
    expect(await stage.read(callId)).to.include({ recording: false });
    const [said, heard] = await channelsOf(callId);
    for (const [audio, hz] of [
      [said, CUSTOMER_HZ],
      [heard, AGENT_HZ],
    ] as const) {
      expect(audio.seconds).to.be.above(1 + paused.atLeast + 0.9);
      const silence = longestSilenceSeconds(audio);
      expect(silence, `the pause, at ${hz} Hz`).to.be.within(paused.atLeast - 0.3, paused.atMost + 0.3);
      expect(toneSeconds(audio, hz)).to.be.within(
        audio.seconds - silence - DROPPED_SECONDS,
        audio.seconds - silence + 0.1,
      );
    }
    // The live call may be recorded again: each recording is independent.
    await talkers.does(callId, 'recording/start', { channels: 1, max_seconds: 600 });
    await customerHears(customerCall, 0.5);
    await talkers.ends(talking);
    await eventually(
      async () => (await recordingsOf(callId)).every(({ status }) => status === 'available'),
      'both recordings',
    );
    expect((await recordingsOf(callId)).map(({ channels }) => channels)).to.deep.equal([2, 1]);
    const [mixed, ...none] = await stage.recording(callId);
    expect(none).to.deep.equal([]);
    expect(loudSeconds(mixed!)).to.be.above(0.4);
  });

  async function recordingsOf(callId: string): Promise<readonly { status: string; channels: number; leg: string }[]> {
    const { body } = await stage.request('GET', `/v1/calls/${callId}/recordings`);
    return (body as { data: { status: string; channels: number; leg: string }[] }).data;
  }

  it('of the agent’s leg has the agent on the first channel', async () => {
    const talking = await talkers.conversation();
    await talkers.does(talking.callId, 'recording/start', { leg: 'agent' });
    await customerHears(talking.customerCall, 1);
    await talkers.ends(talking);
    const [said, heard] = await channelsOf(talking.callId);
    expect(toneSeconds(said, AGENT_HZ)).to.be.above(0.7);
    expect(toneSeconds(heard, CUSTOMER_HZ)).to.be.above(0.7);
    expect((await recordingsOf(talking.callId))[0]).to.include({ leg: 'agent' });
  });

  it('does not contain a muted party or the conversation during a hold', async () => {
    const talking = await talkers.conversation();
    const { callId, customerCall, agentCall } = talking;
    await talkers.does(callId, 'recording/start');
    await talkers.does(callId, 'hold');
    const music = since(customer, customerCall);
    await customer.waitToHear(() => loudSeconds(music()) > 1.5, { callId: customerCall });
    await talkers.does(callId, 'unhold');
    await talkers.does(callId, 'mute');
    await customerHears(customerCall, 1.5);
    await talkers.ends({ callId, customerCall, agentCall });
    const [said, heard] = await channelsOf(callId);
    const muted = slice(said, said.seconds - 1.2, said.seconds - 0.2);
    expect(rmsDb(muted), 'a muted customer in the recording').to.be.below(-60);
    expect(Math.abs(said.seconds - heard.seconds), 'a hold keeps time').to.be.below(0.1);
    expect(toneSeconds(heard, AGENT_HZ), 'the agent during the hold').to.be.below(heard.seconds - 0.9);
  });

  it('is announced first if the project requires it, and contains the announcement', async () => {
    await announce('both');
    const { call_id: callId } = await stage.call({
      to: stage.agent('1001').number,
      connect: { type: 'agent', target: '1002' },
      record: true,
    });
    const customerCall = await customer.incoming();
    await customer.answer(customerCall);
    const agentCall = await agent.incoming();
    const announced = customer.heard(customerCall);
    expect(loudSeconds(announced), 'speech before the agent rings').to.be.above(1);
    await agent.answer(agentCall);
    await customerHears(customerCall, 0.5);
    await talkers.ends({ callId, customerCall, agentCall });
    const [said, heard] = await channelsOf(callId);
    expect(toneSeconds(said, CUSTOMER_HZ)).to.be.above(said.seconds - DROPPED_SECONDS);
    const speech = slice(heard, 0, heard.seconds - 1);
    expect(loudSeconds(speech)).to.be.above(1);
    expect((await stage.timeline(callId)).map(({ type }) => type)).not.to.include('recording.not_announced');
    await announce('off');
  });

  it('on command is announced to the customer while the conversation continues', async () => {
    const talking = await talkers.conversation();
    await announce('en');
    const before = toneSeconds(agent.heard(talking.agentCall), CUSTOMER_HZ);
    await talkers.does(talking.callId, 'recording/start');
    await passes(talking.agentCall, 2);
    await talkers.ends(talking);
    expect(
      toneSeconds(agent.heard(talking.agentCall), CUSTOMER_HZ) - before,
      'the agent does not hear the announcement',
    ).to.be.above(1.5);
    const [, heard] = await channelsOf(talking.callId);
    expect(loudSeconds(heard) - toneSeconds(heard, AGENT_HZ), 'speech over the agent’s tone').to.be.above(0.3);
    await announce('off');
  });

  async function announce(recording_announcement: 'off' | 'en' | 'both'): Promise<void> {
    await stage.platform.stores.db.query('UPDATE projects SET recording_announcement = $1', [recording_announcement]);
    stage.platform.stores.directory.invalidate();
  }

  it('of a softphone’s outgoing calls starts with the answer if the agent’s calls are recorded', async () => {
    const { db, directory } = stage.platform.stores;
    await db.query(`UPDATE agents SET record_calls = true WHERE agent = '1002'`);
    directory.invalidate();
    const carrier = await stage.carrier({ source: { toneHz: CUSTOMER_HZ } });
    const agentCall = await agent.dial(OUTSIDE);
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    await agent.waitToHear(hears(CUSTOMER_HZ, 1), { callId: agentCall });
    const [call] = await stage.latest(1);
    await agent.hangup(agentCall);
    await carrier.closed(atCarrier);
    await stage.over(call!.call_id);
    const [said, heard] = await channelsOf(call!.call_id);
    expect(toneSeconds(said, CUSTOMER_HZ)).to.be.above(0.7);
    expect(toneSeconds(heard, AGENT_HZ)).to.be.above(0.7);
    await db.query('UPDATE agents SET record_calls = false');
    directory.invalidate();
  });

  it('continues while the application is not running, and is stored afterwards', async () => {
    const talking = await talkers.conversation({ record: true });
    const { callId, customerCall } = talking;
    await stage.halt();
    await customerHears(customerCall, 1);
    await stage.resume();
    await eventually(async () => (await stage.read(callId)).recording, 'the new owner controls the recording');
    await stage.adopted(callId);
    await talkers.does(callId, 'recording/pause');
    await talkers.does(callId, 'recording/resume');
    await customerHears(customerCall, 0.5);
    await talkers.ends(talking);
    const [said, heard] = await channelsOf(callId);
    expect(toneSeconds(said, CUSTOMER_HZ)).to.be.above(said.seconds - DROPPED_SECONDS);
    expect(longestSilenceSeconds(slice(heard, 0.6))).to.be.below(0.8);
    expect(toneSeconds(heard, AGENT_HZ)).to.be.above(1.5);
  });

  it('of a call that ends while the application is not running stops at the end of the call', async () => {
    const talking = await talkers.conversation({ record: true });
    await customerHears(talking.customerCall, 1);
    await stage.halt();
    await customer.hangup(talking.customerCall);
    await customer.closed(talking.customerCall);
    await stage.resume();
    await stage.over(talking.callId);
    const [said] = await channelsOf(talking.callId);
    expect(toneSeconds(said, CUSTOMER_HZ)).to.be.above(1);
    expect(said.seconds).to.be.below(toneSeconds(said, CUSTOMER_HZ) + 10.5);
    await agent.closed(talking.agentCall);
  });
});
