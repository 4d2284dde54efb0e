import { freeswitchGround } from '../conformance/rigs/freeswitch-engine.js';
import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { EslRecorder } from './esl-recorder.js';
import { wireConformance } from './wire-suite.js';

describeFreeswitch('FreeSWITCH transcripts', () => {
  wireConformance({
    name: 'freeswitch',
    start: async () => freeswitchGround(await FreeswitchHost.start()),
    record: (port) => EslRecorder.start(port),
  });
});
