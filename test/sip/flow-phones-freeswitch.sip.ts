import { flowScenarios } from '../support/flow-scenarios.js';
import { describeFreeswitch } from '../support/freeswitch.js';
import { FreeswitchStage } from '../support/freeswitch-stage.js';

describeFreeswitch('call flows of real phones on FreeSWITCH', () => {
  flowScenarios(() => FreeswitchStage.start());
});
