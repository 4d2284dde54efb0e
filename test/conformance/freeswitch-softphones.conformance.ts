import { describeFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { connectedFreeswitch } from './freeswitch-rig.js';
import { softphonesConformance } from './softphones-suite.js';

describeFreeswitch('FreeSWITCH: a softphone', () => {
  softphonesConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
