import { findFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { freeswitchGround } from './freeswitch-engine.js';
import { partnersConformance } from './partners-suite.js';

const found = findFreeswitch();

describe('FreeSWITCH, when a leg gets another partner', () => {
  if ('missing' in found) it.skip(`is not here: ${found.missing}`);
  else partnersConformance(async () => freeswitchGround(await FreeswitchHost.start()));
});
