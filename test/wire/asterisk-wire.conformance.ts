import { asteriskGround, AsteriskHost } from '../conformance/rigs/asterisk-host.js';
import { AriRecorder } from './ari-recorder.js';
import { wireConformance } from './wire-suite.js';

describe('Asterisk transcripts', () => {
  wireConformance({
    name: 'asterisk',
    start: async () => asteriskGround(await AsteriskHost.start({ from: 33_600, to: 33_998 })),
    record: (port) => AriRecorder.start(port),
  });
});
