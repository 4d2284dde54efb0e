import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { killedOnFreeswitch } from '../../support/stages/web-calling/killed-stage.js';
import { killedCalls } from './killed-calls.js';

describeFreeswitch('calls in browsers on FreeSWITCH whose application is killed', function () {
  this.timeout(240_000);
  killedCalls(killedOnFreeswitch);
});
