import { describeFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { connectedFreeswitch } from './freeswitch-rig.js';
import { listeningConformance } from './listening-suite.js';

describeFreeswitch('FreeSWITCH, listened to', () => {
  listeningConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
