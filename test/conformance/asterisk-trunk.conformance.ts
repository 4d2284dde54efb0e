import { AsteriskHost } from './rigs/asterisk-host.js';
import { connectedAsterisk } from './rigs/asterisk-rig.js';
import { trunkRegistrationConformance } from './suites/trunk-registration-suite.js';
import { trunkConformance } from './suites/trunk-suite.js';

describe('Asterisk: a trunk with credentials', () => {
  trunkConformance(async () => connectedAsterisk(await AsteriskHost.start({ from: 31_000, to: 31_098 })));
});

describe('Asterisk: a trunk that registers', () => {
  trunkRegistrationConformance(async () => connectedAsterisk(await AsteriskHost.start({ from: 31_000, to: 31_098 })));
});
