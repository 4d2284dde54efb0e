import { asteriskGround, AsteriskHost } from './rigs/asterisk-host.js';
import { recordingConformance } from './suites/recording-suite.js';

describe('Asterisk recordings', () => {
  recordingConformance(async () => asteriskGround(await AsteriskHost.start({ from: 32_000, to: 32_498 })));
});
