import { AsteriskHost } from './asterisk-host.js';
import { connectedAsterisk } from './asterisk-rig.js';
import { timersConformance } from './timers-suite.js';

describe('Asterisk: session timers', () => {
  timersConformance(async () => connectedAsterisk(await AsteriskHost.start({ from: 31_600, to: 31_698 })));
});
