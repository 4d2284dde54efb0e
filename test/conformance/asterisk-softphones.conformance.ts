import { AsteriskHost } from './asterisk-host.js';
import { connectedAsterisk } from './asterisk-rig.js';
import { softphonesConformance } from './softphones-suite.js';

describe('Asterisk: a softphone', () => {
  softphonesConformance(async () => connectedAsterisk(await AsteriskHost.start({ from: 31_100, to: 31_198 })));
});
