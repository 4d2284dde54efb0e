import { expect } from 'chai';
import { longestSilenceSeconds, slice } from '../../support/judges/audio.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { withPlatform } from '../../support/platform/with-platform.js';

describe('an application that stops and starts again', () => {
  let stage: TestPlatform;
  let talkers: TrunkTalkers;
  let agent: Baresip;
  let carrier: Baresip;

  withPlatform(async (made) => {
    stage = made;
    talkers = await TrunkTalkers.at(stage);
    ({ agent, carrier } = talkers);
  });

  it('does not interrupt a conversation, takes it over and controls it', async () => {
    const conversing = await talkers.conversation();
    const { callId, atAgent } = conversing;
    await stage.halt();
    await talkers.keepTalking(conversing);
    await stage.resume();
    await talkers.keepTalking(conversing);
    await stage.adopted(callId);
    expect(await stage.read(callId)).to.include({ status: 'answered', agent: '1001' });
    await stage.hangup(callId);
    await talkers.closed(conversing);
    expect(talkers.missingSeconds(conversing)).to.be.lessThan(1);
    const heard = agent.heard(atAgent);
    expect(longestSilenceSeconds(slice(heard, heard.seconds - 2))).to.be.lessThan(1);
    const over = await stage.over(callId);
    expect(over).to.include({ status: 'ended', disposition: 'answered' });
    expect(await stage.charges(callId)).to.have.length(1);
  });

  it('reports afterwards how a call ended meanwhile, marked as recovered', async () => {
    const { callId, atCarrier, atAgent } = await talkers.conversation();
    await stage.halt();
    await carrier.hangup(atCarrier);
    await carrier.closed(atCarrier);
    await stage.resume();
    const over = await stage.over(callId);
    expect(over).to.include({ status: 'ended', disposition: 'answered' });
    const event = await stage.receivedEvent(callId, 'call.ended');
    expect(event.data).to.include({ recovered: true });
    // The agent's leg was alone in the bridge; the takeover hangs it up.
    await agent.closed(atAgent);
  });

  it('connects parties that answered meanwhile', async () => {
    const callId = await talkers.place();
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    const atAgent = await agent.incoming();
    await stage.receivedEvent(callId, 'call.answered');
    await stage.halt();
    await agent.answer(atAgent);
    await stage.resume();
    await talkers.talk({ atCarrier, atAgent });
    await carrier.hangup(atCarrier);
    await agent.closed(atAgent);
    expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
  });

  it('continues with a customer who answered meanwhile', async () => {
    const callId = await talkers.place();
    const atCarrier = await carrier.incoming();
    await stage.receivedEvent(callId, 'call.ringing');
    await stage.halt();
    await carrier.answer(atCarrier);
    await stage.resume();
    const ends = await talkers.pickUp(atCarrier);
    await stage.hangup(callId);
    await talkers.closed(ends);
    await stage.over(callId);
    const answered = await stage.receivedEvent(callId, 'call.answered');
    expect(answered.data).to.include({ recovered: true });
  });

  it('keeps a caller ringing until it is back', async () => {
    const { number } = stage.agent('1001');
    await stage.halt();
    const id = await carrier.dial(stage.sipUri(number));
    await carrier.waitFor('CALL_RINGING', { callId: id });
    await stage.resume();
    const { atAgent } = await talkers.pickUp(id);
    await agent.hangup(atAgent);
    await carrier.closed(id);
  });

  it('lets a caller get 503 if it does not start in time', async () => {
    await stage.engineVariable('HATIF_WAIT_SECONDS', '1');
    try {
      await stage.halt();
      const id = await carrier.dial(stage.sipUri(stage.demo.lineNumber));
      expect(await carrier.closed(id)).to.match(/^503/);
    } finally {
      await stage.engineVariable('HATIF_WAIT_SECONDS', '15');
    }
    await stage.resume();
  });
});
