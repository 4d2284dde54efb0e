import { AsteriskHost } from './asterisk-host.js';
import { connectedAsterisk } from './asterisk-rig.js';
import { listeningConformance } from './listening-suite.js';

describe('Asterisk, listened to', () => {
  listeningConformance(async () => connectedAsterisk(await AsteriskHost.start({ from: 32_500, to: 32_998 })));
});
