import { admissionConformance } from './admission-suite.js';
import { AsteriskHost } from './asterisk-host.js';
import { connectedAsterisk } from './asterisk-rig.js';

describe('Asterisk: a limit', () => {
  admissionConformance(async (limits) =>
    connectedAsterisk(await AsteriskHost.start({ from: 31_000, to: 31_098 }, limits)),
  );
});
