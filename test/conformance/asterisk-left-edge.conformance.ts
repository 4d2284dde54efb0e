import { AsteriskHost } from './rigs/asterisk-host.js';
import { connectedAsterisk } from './rigs/asterisk-rig.js';
import { leftEdgeConformance } from './suites/left-edge-suite.js';

describe('Asterisk that is no longer behind the SIP edge', () => {
  leftEdgeConformance(async () => connectedAsterisk(await AsteriskHost.start({ from: 31_200, to: 31_298 })));
});
