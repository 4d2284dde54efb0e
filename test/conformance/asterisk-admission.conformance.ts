import { admissionConformance } from './suites/admission-suite.js';
import { AsteriskHost } from './rigs/asterisk-host.js';
import { realEngine } from './rigs/sip-rig.js';

describe('Asterisk call limits', () => {
  admissionConformance(async (limits, override) => {
    const host = await AsteriskHost.start({ from: 31_000, to: 31_098 }, limits);
    return realEngine(host, host.engine(override));
  });
});
