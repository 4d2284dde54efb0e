import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { connectedFreeswitch } from './rigs/freeswitch-rig.js';
import { trunkRegistrationConformance } from './suites/trunk-registration-suite.js';
import { trunkConformance } from './suites/trunk-suite.js';

describeFreeswitch('FreeSWITCH: a trunk with credentials', () => {
  trunkConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});

describeFreeswitch('FreeSWITCH: a trunk that registers', () => {
  trunkRegistrationConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
