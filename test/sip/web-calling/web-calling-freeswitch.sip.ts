import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { onFreeswitch } from '../../support/stages/web-calling/engines.js';
import { browserCalls } from './browser-calls.js';

describeFreeswitch('web calling with a browser on FreeSWITCH', function () {
  this.timeout(240_000);
  browserCalls(() => onFreeswitch());
});
