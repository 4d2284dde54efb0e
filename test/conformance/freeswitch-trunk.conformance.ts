import { describeFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { connectedFreeswitch } from './freeswitch-rig.js';
import { trunkConformance } from './trunk-suite.js';

describeFreeswitch('FreeSWITCH: a trunk with a password', () => {
  trunkConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
