import type { CallObject } from '../../../core/model/objects/call.js';
import { expect } from 'chai';
import { rotate } from '../../../engine/common/log-lines.js';
import { eventually } from '../../support/eventually.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { AGENT_HZ, TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { withPlatform } from '../../support/platform/with-platform.js';
import { apart, expectAt, momentOf } from '../../support/judges/moment.js';

describe('calls that end while the application is not running', () => {
  let stage: TestPlatform;
  let talkers: TrunkTalkers;
  let agent: Baresip;
  let carrier: Baresip;

  withPlatform(
    async (made) => {
      stage = made;
      agent = await stage.softphone('1001', { source: { toneHz: AGENT_HZ } });
    },
    { cables: true },
  );
  beforeEach(async () => {
    talkers = await TrunkTalkers.at(stage, agent);
    ({ carrier } = talkers);
  });

  /** A call rings at the carrier when the application stops. */
  async function ringsWithoutApplication(): Promise<{ readonly callId: string; readonly atCarrier: string }> {
    const callId = await talkers.place();
    const atCarrier = await carrier.incoming();
    await stage.receivedEvent(callId, 'call.ringing');
    await stage.halt();
    return { callId, atCarrier };
  }

  async function expectRecovered(callId: string, ...types: string[]): Promise<void> {
    for (const type of types)
      expect((await stage.receivedEvent(callId, type)).data, type).to.include({ recovered: true });
  }

  const durationOf = ({ answered_at, ended_at }: CallObject): number =>
    Math.round((Date.parse(String(ended_at)) - Date.parse(String(answered_at))) / 1000);

  it('end at their actual time, are charged accordingly, and report the cause', async () => {
    const { callId, atCarrier, atAgent } = await talkers.conversation();
    await stage.halt();
    // Rotate the channel event log in the middle of the call.
    await rotate(stage.parts.cel!.file, 0);
    const ended = await momentOf(async () => {
      await carrier.hangup(atCarrier);
      await stage.engineForgets(1);
    });
    await apart();
    await stage.resume();
    const over = await stage.over(callId);
    expect(over).to.include({ status: 'ended', disposition: 'answered', duration_seconds: durationOf(over) });
    expect(over.hangup_cause).to.deep.equal({ q850: 16, sip_code: null, text: 'Normal call clearing' });
    expectAt(over.ended_at, ended);
    await expectRecovered(callId, 'call.ended');
    await agent.closed(atAgent);
    expect((await stage.charges(callId)).map(({ seconds }) => seconds)).to.deep.equal([durationOf(over)]);
  });

  it('are charged even if they were also answered meanwhile', async () => {
    const { callId, atCarrier } = await ringsWithoutApplication();
    const answered = await momentOf(() => carrier.answer(atCarrier));
    const ended = await momentOf(async () => {
      await carrier.hangup(atCarrier);
      await stage.engineForgets(0);
    });
    await apart();
    await stage.resume();
    const over = await stage.over(callId);
    expect(over).to.include({ status: 'ended', disposition: 'answered', duration_seconds: durationOf(over) });
    expectAt(over.answered_at, answered);
    expectAt(over.ended_at, ended);
    await expectRecovered(callId, 'call.answered', 'call.ended');
    expect((await stage.charges(callId)).map(({ seconds }) => seconds)).to.deep.equal([over.duration_seconds]);
  });

  it('end while only the engine is unreachable, and are reported correctly afterwards', async () => {
    const { callId, atCarrier, atAgent } = await talkers.conversation();
    const { ari } = stage.cables!;
    ari.cut();
    await eventually(() => stage.platform.engine?.isReady === false, 'the engine is unreachable');
    const ended = await momentOf(async () => {
      await carrier.hangup(atCarrier);
      await stage.engineForgets(1);
    });
    expect(await stage.read(callId)).to.include({ status: 'answered' });
    await apart();
    ari.mend();
    const over = await stage.over(callId);
    expect(over.hangup_cause).to.include({ q850: 16 });
    expectAt(over.ended_at, ended);
    await expectRecovered(callId, 'call.ended');
    await agent.closed(atAgent);
  });

  it('are reported as busy', async () => {
    const { callId, atCarrier } = await ringsWithoutApplication();
    const ended = await momentOf(async () => {
      await carrier.reject(atCarrier);
      await stage.engineForgets(0);
    });
    await apart();
    await stage.resume();
    const over = await stage.over(callId);
    expect(over).to.include({ status: 'missed', disposition: 'busy', duration_seconds: null });
    expect(over.hangup_cause).to.deep.equal({ q850: 17, sip_code: 486, text: 'User busy' });
    expectAt(over.ended_at, ended);
    await expectRecovered(callId, 'call.missed');
    expect(await stage.charges(callId)).to.deep.equal([]);
  });

  it('are reported as rejected if the phone never rang', async () => {
    const pid = (await stage.sippCarrier({ scenario: 'uas-reject', status: 603 })).pid!;
    process.kill(pid, 'SIGSTOP');
    const callId = await talkers.place();
    await eventually(async () => (await stage.read(callId)).legs.length === 1, 'the call to the customer starts');
    await stage.halt();
    const ended = await momentOf(async () => {
      process.kill(pid, 'SIGCONT');
      await stage.engineForgets(0);
    });
    await apart();
    await stage.resume();
    const over = await stage.over(callId);
    expect(over).to.include({ status: 'missed', disposition: 'rejected' });
    expect(over.hangup_cause).to.deep.equal({ q850: 21, sip_code: null, text: 'Call rejected' });
    expectAt(over.ended_at, ended);
  });

  it('are found by the caller’s channel if they are inbound', async () => {
    const { id, callId } = await stage.dialIn(carrier, stage.sipUri(stage.agent('1001').number));
    const { atAgent } = await talkers.pickUp(id);
    await stage.halt();
    const ended = await momentOf(async () => {
      await carrier.hangup(id);
      await stage.engineForgets(1);
    });
    await apart();
    await stage.resume();
    const over = await stage.over(callId);
    expect(over).to.include({ status: 'ended', disposition: 'answered' });
    expect(over.hangup_cause).to.deep.equal({ q850: 16, sip_code: null, text: 'Normal call clearing' });
    expectAt(over.ended_at, ended);
    await agent.closed(atAgent);
  });
});
