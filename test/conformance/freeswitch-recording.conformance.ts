import { findFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { freeswitchGround } from './freeswitch-engine.js';
import { recordingConformance } from './recording-suite.js';

const found = findFreeswitch();

describe('FreeSWITCH recording legs', () => {
  if ('missing' in found) it.skip(`is not here: ${found.missing}`);
  else recordingConformance(async () => freeswitchGround(await FreeswitchHost.start()));
});
