import { describeFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { admissionConformance } from './admission-suite.js';
import { freeswitchEngine } from './freeswitch-engine.js';
import { realEngine } from './sip-rig.js';

describeFreeswitch('FreeSWITCH: a limit', () => {
  admissionConformance(async (limits, told) => {
    const host = await FreeswitchHost.start(limits);
    return realEngine(host, freeswitchEngine(host, told));
  });
});
