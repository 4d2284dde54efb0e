import { blockedCallers, type BlockedCallerStage } from '../../support/calls/blocked-callers.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';

const CALLER = '+966501234517';

describeFreeswitch('blocked callers, on FreeSWITCH', () => {
  let freeswitch: FreeswitchStage;
  let stage: BlockedCallerStage;

  before(async function () {
    this.timeout(180_000);
    freeswitch = await FreeswitchStage.start();
    const { application, carrierPort, host } = freeswitch;
    const caller = await application.phone({ user: CALLER, sipPort: carrierPort, source: { toneHz: 900 } });
    const { number } = application.bootstrap.sip.agents[0]!;
    stage = {
      ...{ caller, number: CALLER, callee: `sip:${number}@${host.sipAddress}` },
      request: (...asked) => application.request(...asked),
    };
  });
  after(() => freeswitch.close());

  blockedCallers(() => stage);
});
