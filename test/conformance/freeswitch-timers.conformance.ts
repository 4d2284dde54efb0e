import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { connectedFreeswitch } from './rigs/freeswitch-rig.js';
import { timersConformance } from './suites/timers-suite.js';

describeFreeswitch('FreeSWITCH session timers', () => {
  timersConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
