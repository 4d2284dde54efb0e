import { flowScenarios } from '../../support/calls/flow-scenarios.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';

describeFreeswitch('call flows with real phones on FreeSWITCH', () => {
  flowScenarios(() => FreeswitchStage.start());
});
