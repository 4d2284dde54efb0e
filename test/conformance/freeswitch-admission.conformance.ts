import { describeFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { admissionConformance } from './admission-suite.js';
import { connectedFreeswitch } from './freeswitch-rig.js';

describeFreeswitch('FreeSWITCH: a limit', () => {
  admissionConformance(async (limits) => connectedFreeswitch(await FreeswitchHost.start(limits)));
});
