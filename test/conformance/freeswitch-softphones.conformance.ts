import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { connectedFreeswitch } from './rigs/freeswitch-rig.js';
import { softphonesConformance } from './suites/softphones-suite.js';

describeFreeswitch('FreeSWITCH softphones', () => {
  softphonesConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
