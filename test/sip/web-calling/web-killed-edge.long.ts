import { describeDrachtio } from '../../support/platform/drachtio.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { behindEdge } from '../../support/stages/edge/behind-edge.js';
import { killedOnFreeswitch } from '../../support/stages/web-calling/killed-stage.js';
import { killedCalls } from './killed-calls.js';

describeDrachtio('calls in browsers at the SIP edge whose application is killed', () => {
  describeFreeswitch('before FreeSWITCH', function () {
    this.timeout(240_000);
    killedCalls(() => behindEdge(killedOnFreeswitch));
  });
});
