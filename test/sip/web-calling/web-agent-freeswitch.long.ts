import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { onFreeswitch } from '../../support/stages/web-calling/engines.js';
import { agentCalls } from './agent-calls.js';

describeFreeswitch('an agent in a browser on FreeSWITCH', function () {
  this.timeout(240_000);
  agentCalls(() => onFreeswitch());
});
