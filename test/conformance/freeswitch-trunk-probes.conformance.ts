import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { freeswitchEngine } from './rigs/freeswitch-engine.js';
import { realEngine } from './rigs/sip-rig.js';
import { PROBE_SECONDS, trunkProbesConformance } from './suites/trunk-probes-suite.js';

describeFreeswitch('FreeSWITCH: trunks that are probed', () => {
  trunkProbesConformance(async () => {
    const host = await FreeswitchHost.start();
    return realEngine(host, freeswitchEngine(host, { trunkProbeSeconds: PROBE_SECONDS }));
  });
});
