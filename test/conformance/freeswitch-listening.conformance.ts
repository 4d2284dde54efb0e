import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { connectedFreeswitch } from './rigs/freeswitch-rig.js';
import { listeningConformance } from './suites/listening-suite.js';

describeFreeswitch('FreeSWITCH audio', () => {
  listeningConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
