import { expect } from 'chai';
import { longestSilenceSeconds, slice } from '../../support/judges/audio.js';
import { eventually } from '../../support/eventually.js';
import type { Baresip } from '../../support/phones/index.js';
import { PlatformProcess, processesOf } from '../../support/platform/platform-process.js';
import type { ProcessStage } from '../../support/stages/process-stage.js';
import { withOldVersion } from '../../support/calls/old-version.js';
import type { WebhookReceiver } from '../../support/peers/receiver.js';
import type { TrunkConversation, TrunkTalkers } from '../../support/calls/trunk-talkers.js';

const ANOTHER = '+966501234518';
const REPLACE = { HATIF_REPLACE: 'true' };

describe('an upgrade with live calls, step by step', () => {
  let stage: ProcessStage;
  let talkers: TrunkTalkers;
  let carrier: Baresip;
  let agent: Baresip;
  let receiver: WebhookReceiver;
  withOldVersion((made) => {
    ({ stage, talkers, receiver } = made);
    ({ carrier, agent } = talkers);
  });

  /** The new process controls the call and ends it; audio has no gap and the events are those of one call. */
  async function expectControlUntilEnd(conversing: TrunkConversation): Promise<void> {
    const { callId, atCarrier, atAgent } = conversing;
    const muted = await eventually(async () => {
      const answer = await stage.request('POST', `/v1/calls/${callId}/mute`, { leg: 'agent' });
      return answer.status === 200 && answer;
    }, 'the call is controlled by the new process');
    expect(muted.body).to.include({ call_id: callId });
    const [customer, other] = [carrier.heard(atCarrier).seconds, agent.heard(atAgent).seconds];
    await stage.hangup(callId);
    await talkers.closed(conversing);
    expect(talkers.missingSeconds(conversing)).to.be.lessThan(1);
    // From the first sound to the mute, each side heard no silence.
    expect(longestSilenceSeconds(slice(agent.heard(atAgent), 1, other))).to.be.lessThan(1);
    expect(longestSilenceSeconds(slice(carrier.heard(atCarrier), 1, customer))).to.be.lessThan(1);
    const call = await stage.becomes(callId, 'ended');
    expect(call).to.include({ disposition: 'answered', agent: '1001' });
    expect(call.duration_seconds).to.be.closeTo(carrier.heard(atCarrier).seconds, 2);
    await receiver.waitFor(({ type, data }) => type === 'call.ended' && data.call_id === callId, 'the end of the call');
    receiver.assertSound();
    receiver.assertLegalPath(callId);
    receiver.assertInOrder(callId);
  }

  it('beside the old version: the new one gets engine and calls as soon as the old one receives SIGTERM', async () => {
    const old = stage.platform;
    const conversing = await talkers.conversation();
    const published = stage.published();
    await stage.start(REPLACE);
    expect(stage.published(), 'the files name the old process as long as it runs').to.deep.equal(published);
    old.signal('SIGTERM');
    // No call is refused meanwhile: a call that is placed now rings.
    const placed = await talkers.place(ANOTHER);
    const ringing = await carrier.incoming();
    await carrier.reject(ringing);
    expect(await old.exited, old.output).to.equal(0);
    expect(old.output).to.contain('another process has taken over');
    const { base_url: address } = stage.bootstrap;
    await eventually(() => stage.published().address === address, 'the files name the new process');
    expect(stage.published().pid).to.equal(stage.platform.pid);
    await talkers.keepTalking(conversing);
    await expectControlUntilEnd(conversing);
    const refused = await eventually(async () => {
      const call = await stage.read(placed);
      return call.status !== 'initiated' && call.status !== 'ringing' && call;
    }, 'the call that was placed meanwhile ends');
    expect(refused).to.include({ disposition: 'busy' });
  });

  it('in its place, while the old version is draining: SIGUSR2 ends the draining', async () => {
    const old = stage.platform;
    const conversing = await talkers.conversation();
    old.signal('SIGTERM');
    await old.says('live calls may continue');
    old.signal('SIGUSR2');
    expect(await old.exited, old.output).to.equal(0);
    expect(old.output).to.contain('the parts keep running');
    await talkers.keepTalking(conversing);
    await stage.start();
    await expectControlUntilEnd(conversing);
  });

  it('leaves the owner’s parts running when a waiting process receives SIGTERM', async () => {
    const owner = stage.platform;
    const published = stage.published();
    const waiting = PlatformProcess.start({ ...stage.settings, ...REPLACE });
    await waiting.ready();
    waiting.signal('SIGTERM');
    expect(await waiting.exited, waiting.output).to.equal(0);
    expect(stage.published()).to.deep.equal(published);
    const parts = processesOf(stage.dataDir);
    expect(parts).to.have.length.at.least(3);
    owner.signal('SIGTERM');
    expect(await owner.exited, owner.output).to.equal(0);
    expect(owner.output).to.contain('data is kept');
    expect(processesOf(stage.dataDir)).to.deep.equal([]);
  });
});
