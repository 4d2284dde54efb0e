import { findFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { connectedFreeswitch } from './freeswitch-rig.js';
import { trunkConformance } from './trunk-suite.js';

const found = findFreeswitch();

describe('FreeSWITCH: a trunk with a password', () => {
  if ('missing' in found) it.skip(`is not here: ${found.missing}`);
  else trunkConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
