import { describeDrachtio } from '../../support/platform/drachtio.js';
import { behindTheEdge } from '../../support/stages/web-calling/engines.js';
import { agentCalls } from './agent-calls.js';

describeDrachtio('an agent in a browser behind the SIP edge', function () {
  this.timeout(240_000);
  agentCalls(() => behindTheEdge({ from: 18_200, to: 18_399 }));
});
