import { asteriskGround, AsteriskHost } from './asterisk-host.js';
import { recordingConformance } from './recording-suite.js';

describe('Asterisk recording legs', () => {
  recordingConformance(async () => asteriskGround(await AsteriskHost.start({ from: 32_000, to: 32_498 })));
});
