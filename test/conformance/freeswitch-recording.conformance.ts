import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { freeswitchGround } from './rigs/freeswitch-engine.js';
import { recordingConformance } from './suites/recording-suite.js';

describeFreeswitch('FreeSWITCH recordings', () => {
  recordingConformance(async () => freeswitchGround(await FreeswitchHost.start()));
});
