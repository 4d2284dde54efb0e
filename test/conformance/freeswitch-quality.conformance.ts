import { describeFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { connectedFreeswitch } from './freeswitch-rig.js';
import { qualityConformance } from './quality-suite.js';

describeFreeswitch('FreeSWITCH: the quality of calls', () => {
  qualityConformance(async () => connectedFreeswitch(await FreeswitchHost.start()), {
    // It looks at its clock once a packet.
    fineJitter: false,
  });
});
