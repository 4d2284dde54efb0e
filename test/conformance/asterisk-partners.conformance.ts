import { asteriskGround, AsteriskHost } from './rigs/asterisk-host.js';
import { partnersConformance } from './suites/partners-suite.js';

describe('Asterisk: a leg that changes its partner', () => {
  partnersConformance(async () => asteriskGround(await AsteriskHost.start({ from: 33_000, to: 33_498 })));
});
