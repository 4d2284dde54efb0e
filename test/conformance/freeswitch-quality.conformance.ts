import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { connectedFreeswitch } from './rigs/freeswitch-rig.js';
import { qualityConformance } from './suites/quality-suite.js';

describeFreeswitch('FreeSWITCH call quality', () => {
  qualityConformance(
    async ({ host, port, captureId }) =>
      connectedFreeswitch(await FreeswitchHost.start({ hep: { host, port, captureId } })),
    // FreeSWITCH reads its clock once per packet, and sends only SIP to Homer.
    { fineJitter: false, fullHep: false },
  );
});
