import { asteriskRig } from './asterisk-rig.js';
import { conformance } from './suite.js';

describe('Asterisk', () => conformance(asteriskRig));
