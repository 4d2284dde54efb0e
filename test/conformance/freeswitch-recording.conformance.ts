import { describeFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { freeswitchGround } from './freeswitch-engine.js';
import { recordingConformance } from './recording-suite.js';

describeFreeswitch('FreeSWITCH recording legs', () => {
  recordingConformance(async () => freeswitchGround(await FreeswitchHost.start()));
});
