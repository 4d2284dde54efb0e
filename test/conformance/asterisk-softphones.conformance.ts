import { AsteriskHost } from './rigs/asterisk-host.js';
import { connectedAsterisk } from './rigs/asterisk-rig.js';
import { softphonesConformance } from './suites/softphones-suite.js';

describe('Asterisk softphones', () => {
  softphonesConformance(async () => connectedAsterisk(await AsteriskHost.start({ from: 31_100, to: 31_198 })));
});
