import { conformance } from './suite.js';
import { simulatorRig } from './simulator-rig.js';

describe('Simulator', () => conformance(simulatorRig));
