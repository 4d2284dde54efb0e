import { describeFreeswitch, FreeswitchHost } from '../support/platform/freeswitch.js';
import { freeswitchGround } from './rigs/freeswitch-engine.js';
import { partnersConformance } from './suites/partners-suite.js';

describeFreeswitch('FreeSWITCH: a leg that changes its partner', () => {
  partnersConformance(async () => freeswitchGround(await FreeswitchHost.start()));
});
