import { AsteriskHost } from './rigs/asterisk-host.js';
import { connectedAsterisk } from './rigs/asterisk-rig.js';
import { listeningConformance } from './suites/listening-suite.js';

describe('Asterisk audio', () => {
  listeningConformance(async () => connectedAsterisk(await AsteriskHost.start({ from: 32_500, to: 32_998 })));
});
