import { describeFreeswitch, FreeswitchHost } from '../../support/platform/freeswitch.js';
import { connectedFreeswitch } from '../rigs/freeswitch-rig.js';
import { trunkRegistrationConformance } from '../suites/trunk-registration-suite.js';

describeFreeswitch('FreeSWITCH: a trunk that registers', () => {
  trunkRegistrationConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
