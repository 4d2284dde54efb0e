import { FreeswitchHost, findFreeswitch } from '../support/freeswitch.js';
import { connectedFreeswitch } from './freeswitch-rig.js';
import { listeningConformance } from './listening-suite.js';

const found = findFreeswitch();

describe('FreeSWITCH, listened to', () => {
  if ('missing' in found) it.skip(`is not here: ${found.missing}`);
  else listeningConformance(async () => connectedFreeswitch(await FreeswitchHost.start()));
});
