import { expect } from 'chai';
import { loudSeconds, toneSeconds, toneWav } from '../../support/judges/audio.js';
import { hears, hearsMore, since } from '../../support/judges/hearing.js';
import { AGENT_HZ, CUSTOMER_HZ, Talkers } from '../../support/calls/conversation.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

/** Audio sent before a command may still be in the buffers of the engine and the phones. */
const ON_ITS_WAY_SECONDS = 0.5;

describe('control of live calls', () => {
  let stage: TestPlatform;
  let talkers: Talkers;
  let customer: Baresip;
  let agent: Baresip;

  withPlatform(async (made) => {
    stage = made;
    talkers = await Talkers.at(stage);
    ({ customer, agent } = talkers);
  });

  /** Resolves when the phone has played the audio sent before the music that it hears now. */
  async function passes(phone: Baresip, call: string): Promise<void> {
    const heard = since(phone, call);
    await phone.waitToHear(() => loudSeconds(heard()) > ON_ITS_WAY_SECONDS, { callId: call });
  }

  it('mutes the customer for the agent only, then unmutes', async () => {
    const talking = await talkers.conversation();
    const { callId, customerCall, agentCall } = talking;
    await talkers.does(callId, 'mute');
    await stage.receivedEvent(callId, 'call.muted');
    await hearsMore(customer, customerCall, AGENT_HZ, ON_ITS_WAY_SECONDS);
    const before = toneSeconds(agent.heard(agentCall), CUSTOMER_HZ);
    await hearsMore(customer, customerCall, AGENT_HZ, 1);
    expect(toneSeconds(agent.heard(agentCall), CUSTOMER_HZ) - before, 'the agent hears the muted customer').to.be.below(
      0.3,
    );
    expect((await stage.read(callId)).muted).to.equal(true);
    await talkers.does(callId, 'unmute');
    await hearsMore(agent, agentCall, CUSTOMER_HZ, 0.5);
    await talkers.ends(talking);
  });

  it('holds the customer with music while the agent hears nothing, then reconnects them', async () => {
    const talking = await talkers.conversation();
    const { callId, customerCall, agentCall } = talking;
    await talkers.does(callId, 'hold');
    await stage.receivedEvent(callId, 'call.held');
    await passes(customer, customerCall);
    const heardBefore = toneSeconds(agent.heard(agentCall), CUSTOMER_HZ);
    const later = since(customer, customerCall);
    await customer.waitToHear(() => loudSeconds(later()) > 1.5, { callId: customerCall });
    const music = later();
    expect(toneSeconds(music, AGENT_HZ), 'the held customer hears the agent').to.be.below(0.2);
    expect(
      toneSeconds(agent.heard(agentCall), CUSTOMER_HZ) - heardBefore,
      'the agent hears the held customer',
    ).to.be.below(0.3);
    expect(await stage.read(callId)).to.deep.include({ on_hold: true });
    await talkers.does(callId, 'unhold');
    await hearsMore(agent, agentCall, CUSTOMER_HZ, 0.5);
    await talkers.ends(talking);
  });

  it('holds the agent’s leg: the agent hears music, the customer hears nothing', async () => {
    const talking = await talkers.conversation();
    const { callId, customerCall, agentCall } = talking;
    await talkers.does(callId, 'hold', { leg: 'agent' });
    await passes(agent, agentCall);
    const before = toneSeconds(customer.heard(customerCall), AGENT_HZ);
    const later = since(agent, agentCall);
    await agent.waitToHear(() => loudSeconds(later()) > 1.5, { callId: agentCall });
    expect(toneSeconds(customer.heard(customerCall), AGENT_HZ) - before).to.be.below(0.3);
    const call = await stage.read(callId);
    expect(call.on_hold).to.equal(false);
    expect(call.legs.find(({ leg }) => leg === 'agent')?.on_hold).to.equal(true);
    await talkers.does(callId, 'unhold', { leg: 'agent' });
    await hearsMore(customer, customerCall, AGENT_HZ, 0.5);
    await talkers.ends(talking);
  });

  it('mutes the agent’s leg: the customer does not hear the agent, the agent still hears the customer', async () => {
    const talking = await talkers.conversation();
    const { callId, customerCall, agentCall } = talking;
    await talkers.does(callId, 'mute', { leg: 'agent' });
    await hearsMore(agent, agentCall, CUSTOMER_HZ, ON_ITS_WAY_SECONDS);
    const before = toneSeconds(customer.heard(customerCall), AGENT_HZ);
    await hearsMore(agent, agentCall, CUSTOMER_HZ, 1);
    expect(toneSeconds(customer.heard(customerCall), AGENT_HZ) - before).to.be.below(0.3);
    const call = await stage.read(callId);
    expect(call.muted, 'the call’s “muted” is the customer’s').to.equal(false);
    expect(call.legs.find(({ leg }) => leg === 'agent')?.muted).to.equal(true);
    await talkers.does(callId, 'unmute', { leg: 'agent' });
    await hearsMore(customer, customerCall, AGENT_HZ, 0.5);
    await talkers.ends(talking);
  });

  it('plays audio to the agent’s leg, stops it, and records the leg with a pause', async () => {
    const talking = await talkers.conversation();
    const { callId, customerCall, agentCall } = talking;
    const form = new FormData();
    form.set('file', new Blob([Uint8Array.from(toneWav({ hz: 1500, seconds: 2 }))]), 'tone.wav');
    const upload = await stage.request('POST', '/v1/callflows/audio', { raw: form });
    await talkers.does(callId, 'recording/start', { leg: 'agent' });
    await hearsMore(agent, agentCall, CUSTOMER_HZ, 0.6);
    await talkers.does(callId, 'recording/pause', { leg: 'agent' });
    await hearsMore(agent, agentCall, CUSTOMER_HZ, 1);
    await talkers.does(callId, 'recording/resume', { leg: 'agent' });
    await talkers.does(callId, 'play', { audio_id: upload.body?.id, loop: 10, leg: 'agent' });
    await agent.waitToHear(hears(1500, 1), { callId: agentCall });
    expect(toneSeconds(customer.heard(customerCall), 1500), 'the other leg hears it too').to.equal(0);
    await talkers.does(callId, 'play/stop', { leg: 'agent' });
    await hearsMore(agent, agentCall, CUSTOMER_HZ, 1);
    await talkers.does(callId, 'recording/stop', { leg: 'agent' });
    const [said, heard] = await stage.recording(callId);
    expect(toneSeconds(said!, AGENT_HZ)).to.be.within(0.5, said!.seconds - 0.7);
    expect(toneSeconds(heard!, CUSTOMER_HZ)).to.be.above(0.5);
    expect(toneSeconds(heard!, 1500)).to.be.within(0.4, 15);
    await talkers.ends(talking);
  });

  it('detects a phone’s hold button and plays music to the other side', async () => {
    const talking = await talkers.conversation();
    const { callId, agentCall } = talking;
    await customer.hold();
    await stage.receivedEvent(callId, 'call.held');
    expect(await stage.read(callId)).to.deep.include({ on_hold: true });
    await passes(agent, agentCall);
    const later = since(agent, agentCall);
    await agent.waitToHear(() => loudSeconds(later()) > 1, { callId: agentCall });
    expect(toneSeconds(later(), CUSTOMER_HZ)).to.be.below(0.2);
    await customer.resume();
    await stage.receivedEvent(callId, 'call.resumed');
    await hearsMore(agent, agentCall, CUSTOMER_HZ, 0.5);
    await talkers.ends(talking);
  });

  it('sends the same digits to each leg', async () => {
    const talking = await talkers.conversation();
    const { callId } = talking;
    await talkers.does(callId, 'dtmf', { digits: '159#' });
    await customer.digits('159#');
    await talkers.does(callId, 'dtmf', { digits: '26*', leg: 'agent' });
    await agent.digits('26*');
    const sent = (await stage.timeline(callId)).filter(({ type }) => type === 'control.dtmf');
    expect(sent.map(({ data }) => data.digits_count)).to.deep.equal([4, 3]);
    expect(JSON.stringify(await stage.timeline(callId))).not.to.match(/159#|26\*/);
    await talkers.ends(talking);
  });

  it('plays audio to one leg of a conversation and stops it', async () => {
    const talking = await talkers.conversation();
    const { callId, customerCall, agentCall } = talking;
    const form = new FormData();
    form.set('file', new Blob([Uint8Array.from(toneWav({ hz: 1500, seconds: 2 }))]), 'tone.wav');
    const upload = await stage.request('POST', '/v1/callflows/audio', { raw: form });
    await talkers.does(callId, 'play', { audio_id: upload.body?.id, loop: 10 });
    await customer.waitToHear(hears(1500, 1), { callId: customerCall });
    expect(toneSeconds(agent.heard(agentCall), 1500), 'the other leg hears it too').to.equal(0);
    await talkers.does(callId, 'play/stop');
    await stage.receivedEvent(callId, 'call.answered');
    await hearsMore(customer, customerCall, AGENT_HZ, 1);
    const played = toneSeconds(customer.heard(customerCall), 1500);
    // All repetitions would take twenty seconds.
    expect(played, 'it was looped to the end').to.be.below(15);
    await talkers.ends(talking);
  });

  it('ends the call when it hangs up the agent’s leg', async () => {
    const { callId, customerCall, agentCall } = await talkers.conversation();
    await talkers.does(callId, 'hangup', { leg: 'agent' });
    await Promise.all([customer.closed(customerCall), agent.closed(agentCall)]);
    expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
  });

  describe('is refused', () => {
    it('before the answer and without an agent leg', async () => {
      const { call_id: callId } = await stage.call({ to: stage.agent('1001').number });
      const id = await customer.incoming();
      const early = await stage.request('POST', `/v1/calls/${callId}/hold`, { json: {} });
      expect(early.body).to.include({ error_code: 'CALL_NOT_ANSWERED' });
      await customer.answer(id);
      await stage.receivedEvent(callId, 'call.answered');
      const [recordings, plays] = [
        ['start', 'stop', 'pause', 'resume'].map((act) => `recording/${act}`),
        ['play/stop'],
      ];
      for (const action of ['hangup', 'hold', 'unhold', 'mute', 'unmute', 'dtmf', 'play', ...plays, ...recordings]) {
        const content = { dtmf: { digits: '1' }, play: { text: 'Hello', language: 'en' } }[action] ?? {};
        const json = { leg: 'agent', ...content };
        const answer = await stage.request('POST', `/v1/calls/${callId}/${action}`, { json });
        expect(answer.status, action).to.equal(409);
        expect(answer.body, action).to.include({ error_code: 'AGENT_LEG_NOT_CONNECTED' });
      }
      await stage.hangup(callId);
      await customer.closed(id);
      await stage.over(callId);
      const late = await stage.request('POST', `/v1/calls/${callId}/unmute`, { json: {} });
      expect(late.body).to.include({ error_code: 'CALL_NOT_ACTIVE' });
    });

    it('for digits to an incoming call', async () => {
      const { id: dialled, callId } = await stage.dialIn(customer, stage.demo.lineNumber);
      await customer.waitFor('CALL_ESTABLISHED', { callId: dialled });
      const answer = await stage.request('POST', `/v1/calls/${callId}/dtmf`, { json: { digits: '1' } });
      expect(answer.status).to.equal(422);
      expect(answer.body).to.include({ error_code: 'CALL_CONTROL_UNSUPPORTED' });
      await customer.hangup();
      await stage.over(callId);
    });
  });
});
