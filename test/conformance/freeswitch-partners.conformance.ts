import { describeFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { freeswitchGround } from './freeswitch-engine.js';
import { partnersConformance } from './partners-suite.js';

describeFreeswitch('FreeSWITCH, when a leg gets another partner', () => {
  partnersConformance(async () => freeswitchGround(await FreeswitchHost.start()));
});
