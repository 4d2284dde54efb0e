import { describeDrachtio } from '../../support/platform/drachtio.js';
import { behindTheEdge } from '../../support/stages/web-calling/engines.js';
import { browserCalls } from './browser-calls.js';

describeDrachtio('web calling with a browser behind the SIP edge', function () {
  this.timeout(240_000);
  browserCalls(() => behindTheEdge({ from: 18_000, to: 18_199 }));
});
