import { forwarding, type ForwardingStage } from '../../support/calls/forwarding.js';
import { forwardingOnFreeswitch } from '../../support/calls/forwarding-stages.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';

describeFreeswitch('calls for a softphone, on FreeSWITCH,', () => {
  let freeswitch: FreeswitchStage;
  let stage: ForwardingStage;

  before(async function () {
    this.timeout(180_000);
    freeswitch = await FreeswitchStage.start();
    stage = await forwardingOnFreeswitch(freeswitch);
  });
  after(() => freeswitch.close());

  forwarding(() => stage);
});
