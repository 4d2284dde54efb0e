import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { connectedFreeswitch } from './rigs/freeswitch-rig.js';
import { qualityConformance } from './suites/quality-suite.js';

describeFreeswitch('FreeSWITCH: the quality of calls', () => {
  qualityConformance(
    async ({ host, port, captureId }) =>
      connectedFreeswitch(await FreeswitchHost.start({ hep: { host, port, captureId } })),
    // It looks at its clock once a packet, and sends Homer SIP alone.
    { fineJitter: false, fullHep: false },
  );
});
