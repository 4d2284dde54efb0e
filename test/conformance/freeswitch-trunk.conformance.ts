import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { connectedFreeswitch } from './rigs/freeswitch-rig.js';
import { trunkConformance } from './suites/trunk-suite.js';

describeFreeswitch('FreeSWITCH: a trunk with credentials', () => {
  trunkConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
