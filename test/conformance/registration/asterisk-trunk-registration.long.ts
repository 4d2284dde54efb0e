import { AsteriskHost } from '../rigs/asterisk-host.js';
import { connectedAsterisk } from '../rigs/asterisk-rig.js';
import { trunkRegistrationConformance } from '../suites/trunk-registration-suite.js';

describe('Asterisk: a trunk that registers', () => {
  trunkRegistrationConformance(async () => connectedAsterisk(await AsteriskHost.start({ from: 31_000, to: 31_098 })));
});
