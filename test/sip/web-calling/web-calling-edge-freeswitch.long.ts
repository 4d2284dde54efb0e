import { describeDrachtio } from '../../support/platform/drachtio.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { freeswitchBehindTheEdge } from '../../support/stages/web-calling/engines.js';
import { browserCalls } from './browser-calls.js';

describeDrachtio('web calling with a browser at the SIP edge', () => {
  describeFreeswitch('before FreeSWITCH', function () {
    this.timeout(240_000);
    browserCalls(freeswitchBehindTheEdge);
  });
});
