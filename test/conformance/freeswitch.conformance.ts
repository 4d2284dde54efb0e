import { findFreeswitch } from '../support/freeswitch.js';
import { freeswitchRig } from './freeswitch-rig.js';
import { conformance } from './suite.js';

const found = findFreeswitch();

describe('FreeSWITCH', () => {
  if ('missing' in found) it.skip(`is not here: ${found.missing}`);
  else conformance(freeswitchRig);
});
