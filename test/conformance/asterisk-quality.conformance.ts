import { AsteriskHost } from './rigs/asterisk-host.js';
import { connectedAsterisk } from './rigs/asterisk-rig.js';
import { qualityConformance } from './suites/quality-suite.js';

describe('Asterisk call quality', () => {
  qualityConformance(
    async (hep) => connectedAsterisk(await AsteriskHost.start({ from: 31_500, to: 31_598 }, { hep })),
    { fineJitter: true, fullHep: true },
  );
});
