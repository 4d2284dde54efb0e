import { asteriskRig } from './rigs/asterisk-rig.js';
import { conformance } from './suites/suite.js';

describe('Asterisk', () => conformance(asteriskRig));
