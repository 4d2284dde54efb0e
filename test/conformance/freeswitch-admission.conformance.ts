import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { admissionConformance } from './suites/admission-suite.js';
import { freeswitchEngine } from './rigs/freeswitch-engine.js';
import { realEngine } from './rigs/sip-rig.js';

describeFreeswitch('FreeSWITCH call limits', () => {
  admissionConformance(async (limits, override) => {
    const host = await FreeswitchHost.start(limits);
    return realEngine(host, freeswitchEngine(host, override));
  });
});
