import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { connectedFreeswitch } from './rigs/freeswitch-rig.js';
import { leftEdgeConformance } from './suites/left-edge-suite.js';

describeFreeswitch('FreeSWITCH that is no longer behind the SIP edge', () => {
  leftEdgeConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
