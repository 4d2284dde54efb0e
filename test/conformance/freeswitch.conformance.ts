import { describeFreeswitch } from '../support/freeswitch.js';
import { freeswitchRig } from './freeswitch-rig.js';
import { conformance } from './suite.js';

describeFreeswitch('FreeSWITCH', () => {
  conformance(freeswitchRig);
});
