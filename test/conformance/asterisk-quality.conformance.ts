import { AsteriskHost } from './asterisk-host.js';
import { connectedAsterisk } from './asterisk-rig.js';
import { qualityConformance } from './quality-suite.js';

describe('Asterisk: the quality of calls', () => {
  qualityConformance(
    async (hep) => connectedAsterisk(await AsteriskHost.start({ from: 31_500, to: 31_598 }, { hep })),
    { fineJitter: true, fullHep: true },
  );
});
