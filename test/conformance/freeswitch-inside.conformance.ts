import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { freeswitchGround } from './rigs/freeswitch-engine.js';
import { insideConformance } from './suites/inside-suite.js';

describeFreeswitch('FreeSWITCH: a call to a number of the installation', () => {
  insideConformance(async () => freeswitchGround(await FreeswitchHost.start()));
});
