import { AsteriskHost } from './rigs/asterisk-host.js';
import { connectedAsterisk } from './rigs/asterisk-rig.js';
import { trunkConformance } from './suites/trunk-suite.js';

describe('Asterisk: a trunk with credentials', () => {
  trunkConformance(async () => connectedAsterisk(await AsteriskHost.start({ from: 31_000, to: 31_098 })));
});
