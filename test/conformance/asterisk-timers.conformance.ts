import { AsteriskHost } from './rigs/asterisk-host.js';
import { connectedAsterisk } from './rigs/asterisk-rig.js';
import { timersConformance } from './suites/timers-suite.js';

describe('Asterisk session timers', () => {
  timersConformance(async () => connectedAsterisk(await AsteriskHost.start({ from: 31_600, to: 31_698 })));
});
