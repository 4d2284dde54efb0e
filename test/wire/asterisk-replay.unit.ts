import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { AsteriskEngine } from '../../engine/asterisk/asterisk-engine.js';
import { kindOf } from '../conformance/stage.js';
import { eventsOf, traceOf } from '../conformance/trace.js';
import { quiet } from '../support/logger.js';
import { frame, type AriSaid } from './ari-lines.js';
import { AriPeer } from './ari-peer.js';
import { PLAYED, replayConformance, replayStage } from './replay-suite.js';
import { answered } from './scenarios.js';

const isEvent =
  (type: string) =>
  (said: AriSaid): boolean =>
    'event' in said && said.event.type === type;

describe('Asterisk adapter, from transcripts', () => {
  const replay = replayStage<AriSaid, AriPeer>({
    name: 'asterisk',
    startPeer: (transcript, options) => AriPeer.start(transcript, options),
    makeEngine: (port, world, pace) =>
      new AsteriskEngine({
        ...{ url: `http://127.0.0.1:${port}`, username: 'hatif', password: 'a-password-of-the-tests' },
        ...{ soundDir: join(dirname(world.prompt!), 'sounds'), logger: quiet, maxBackoffMs: 100 },
        ...pace,
      }),
  });

  replayConformance('asterisk', replay, {
    isEvent: (said) => 'event' in said,
    isPlayed: isEvent('PlaybackFinished'),
    isEnd: isEvent('ChannelDestroyed'),
  });
});
