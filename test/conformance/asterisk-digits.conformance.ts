import { AsteriskHost } from './rigs/asterisk-host.js';
import { connectedAsterisk } from './rigs/asterisk-rig.js';
import { digitsConformance } from './suites/digits-suite.js';

describe('Asterisk: keys', () => {
  digitsConformance(async () => connectedAsterisk(await AsteriskHost.start({ from: 31_000, to: 31_098 })));
});
