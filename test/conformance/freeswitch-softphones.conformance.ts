import { findFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { connectedFreeswitch } from './freeswitch-rig.js';
import { softphonesConformance } from './softphones-suite.js';

const found = findFreeswitch();

describe('FreeSWITCH: a softphone', () => {
  if ('missing' in found) it.skip(`is not here: ${found.missing}`);
  else softphonesConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
