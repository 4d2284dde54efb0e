import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { connectedFreeswitch } from './rigs/freeswitch-rig.js';
import { digitsConformance } from './suites/digits-suite.js';

describeFreeswitch('FreeSWITCH: keys', () => {
  digitsConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
