import { AsteriskHost } from './rigs/asterisk-host.js';
import { realEngine } from './rigs/sip-rig.js';
import { PROBE_SECONDS, trunkProbesConformance } from './suites/trunk-probes-suite.js';

describe('Asterisk: trunks that are probed', () => {
  trunkProbesConformance(async () => {
    const host = await AsteriskHost.start({ from: 31_000, to: 31_098 });
    return realEngine(host, host.engine({ trunkProbeSeconds: PROBE_SECONDS }));
  });
});
