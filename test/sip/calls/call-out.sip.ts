import { expect } from 'chai';
import { loudSeconds } from '../../support/judges/audio.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { CUSTOMER, TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { withPlatform } from '../../support/platform/with-platform.js';

describe('an outgoing call of a softphone', () => {
  let stage: TestPlatform;
  let talkers: TrunkTalkers;
  let phone: Baresip;
  let carrier: Baresip;

  withPlatform(async (made) => {
    stage = made;
    talkers = await TrunkTalkers.at(stage);
    ({ agent: phone, carrier } = talkers);
  });

  /** The softphone dials; resolves when the carrier's phone rings. */
  async function dial(number: string): Promise<{ readonly own: string; readonly theirs: string }> {
    const own = await phone.dial(number);
    return { own, theirs: await carrier.incoming() };
  }

  /** Returns the ID of the newest call. */
  async function newestCall(theirs: string): Promise<string> {
    expect(carrier.call(theirs).peer).to.contain(stage.agent('1001').number);
    const [latest] = await stage.latest(1);
    expect(latest).to.include({ kind: 'outbound', direction: 'outbound', agent: '1001' });
    return latest!.call_id;
  }

  const mayCallOut = async (may_call_out: boolean): Promise<void> => {
    const { stores, management } = stage.platform;
    const [project] = await stores.projects.list();
    await management.agents.setCallingOut(project!, '1001', { may_call_out });
    stores.directory.invalidate();
  };

  it('reaches a customer through the trunk with the agent’s number; both hear each other', async () => {
    const { own, theirs } = await dial('0501234517');
    await phone.waitFor('CALL_RINGING', { callId: own });
    const callId = await newestCall(theirs);
    await carrier.answer(theirs);
    await talkers.talk({ atCarrier: theirs, atAgent: own });
    await phone.hangup();
    await carrier.closed(theirs);
    expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
    expect(await stage.charges(callId), 'only the trunk leg is charged').to.have.length(1);
  });

  it('gets 486 when the customer is busy', async () => {
    const { own, theirs } = await dial(CUSTOMER);
    const callId = await newestCall(theirs);
    await carrier.reject(theirs);
    expect(await phone.closed(own)).to.contain('486');
    expect(await stage.over(callId)).to.include({ status: 'missed', disposition: 'busy' });
  });

  it('is refused if the agent may not call out, but still reaches an emergency number', async () => {
    await mayCallOut(false);
    const refused = await phone.dial(CUSTOMER);
    expect(await phone.closed(refused)).to.contain('403');
    const { own, theirs } = await dial('911');
    const callId = await newestCall(theirs);
    await carrier.answer(theirs);
    await phone.waitFor('CALL_ESTABLISHED', { callId: own });
    await carrier.hangup();
    await phone.closed(own);
    expect(await stage.over(callId)).to.include({ status: 'ended' });
    await mayCallOut(true);
  });

  it('reaches the echo service by its code, and gets 404 for a number that leads nowhere', async () => {
    const own = await phone.dial('*43');
    await phone.waitFor('CALL_ESTABLISHED', { callId: own });
    // The greeting comes first, in both languages.
    await phone.waitToHear((audio) => loudSeconds(audio) > 1, { callId: own });
    await phone.hangup();
    const [call] = await stage.latest(1);
    expect(await stage.over(call!.call_id)).to.include({ kind: 'inbound', status: 'ended', line_number: null });
    expect(await stage.charges(call!.call_id)).to.deep.equal([]);
    expect(await phone.closed(await phone.dial('8100'))).to.contain('404');
  });
});
