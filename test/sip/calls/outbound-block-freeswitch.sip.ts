import { outboundBlock, type OutboundBlockStage } from '../../support/calls/outbound-block.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';

describeFreeswitch('the guard against toll fraud, on FreeSWITCH', () => {
  let freeswitch: FreeswitchStage;
  let stage: OutboundBlockStage;

  before(async function () {
    this.timeout(180_000);
    freeswitch = await FreeswitchStage.start();
    const { application } = freeswitch;
    const { carrier, agent } = await application.talkers(freeswitch.carrierPort);
    stage = { carrier, agent, request: (...asked) => application.request(...asked) };
  });
  after(() => freeswitch.close());

  outboundBlock('603', () => stage);
});
