import { expect } from 'chai';
import { describeFreeswitch } from '../support/freeswitch.js';
import { FreeswitchStage } from '../support/freeswitch-stage.js';
import type { TrunkTalkers } from '../support/trunk-talkers.js';

describeFreeswitch('the platform on FreeSWITCH', () => {
  let stage: FreeswitchStage;
  let talkers: TrunkTalkers;

  before(async function () {
    this.timeout(180_000);
    stage = await FreeswitchStage.start();
    talkers = await stage.application.talkers(stage.carrierPort);
  });
  after(() => stage.close());

  it('rings a customer behind the trunk and an agent who registered, and they hear each other', async () => {
    const { callId, ...ends } = await talkers.conversation();
    await stage.application.hangup(callId);
    await talkers.closed(ends);
    expect(await stage.application.becomes(callId, 'ended')).to.include({ disposition: 'answered' });
  });
});
