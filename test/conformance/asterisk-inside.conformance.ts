import { AsteriskHost, asteriskGround } from './rigs/asterisk-host.js';
import { insideConformance } from './suites/inside-suite.js';

describe('Asterisk: a call to a number of the installation', () => {
  insideConformance(async () => asteriskGround(await AsteriskHost.start({ from: 31_000, to: 31_098 })));
});
