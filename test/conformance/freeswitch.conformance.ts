import { describeFreeswitch } from '../support/platform/freeswitch.js';
import { freeswitchRig } from './rigs/freeswitch-rig.js';
import { conformance } from './suites/suite.js';

describeFreeswitch('FreeSWITCH', () => {
  conformance(freeswitchRig);
});
