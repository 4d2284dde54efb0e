import { describeFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { connectedFreeswitch } from './freeswitch-rig.js';
import { qualityConformance } from './quality-suite.js';

describeFreeswitch('FreeSWITCH: the quality of calls', () => {
  qualityConformance(
    async ({ host, port, captureId }) =>
      connectedFreeswitch(await FreeswitchHost.start({ hep: { host, port, captureId } })),
    // It looks at its clock once a packet, and sends Homer SIP alone.
    { fineJitter: false, fullHep: false },
  );
});
