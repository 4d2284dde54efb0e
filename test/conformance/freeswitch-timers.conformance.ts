import { describeFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { connectedFreeswitch } from './freeswitch-rig.js';
import { timersConformance } from './timers-suite.js';

describeFreeswitch('FreeSWITCH: session timers', () => {
  timersConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
