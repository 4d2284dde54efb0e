import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { newId } from '../../core/model/ids.js';
import type { EngineEvent } from '../../core/ports/engine.js';
import { toneWav } from '../support/audio.js';
import { hears } from '../support/hearing.js';
import { Baresip } from '../support/phones/index.js';
import { AsteriskHost } from './asterisk-host.js';

const MUSIC_HZ = 1_400;

describe('Asterisk with hold music of one’s own', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-music-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('plays it to who is held', async () => {
    await writeFile(join(folder, 'own.wav'), toneWav({ hz: MUSIC_HZ, seconds: 5 }));
    const host = await AsteriskHost.start({ from: 33_500, to: 33_598 }, { holdMusicDir: folder });
    const phone = await Baresip.start({ user: 'held', answer: 'auto' });
    const { engine, heard } = host.engine();
    try {
      engine.start(heard.listener);
      await heard.untilType('engine.connected');
      const legId = newId();
      await engine.legs.originate({
        legId,
        endpoint: { type: 'sip', uri: phone.uri },
        callerId: { number: null, name: null },
        ringTimeoutSeconds: 20,
        maxDurationSeconds: 60,
      });
      await heard.until(
        (event): event is Extract<EngineEvent, { type: 'leg.answered' }> =>
          event.type === 'leg.answered' && event.legId === legId,
      );
      await engine.legs.hold(legId);
      await phone.waitToHear(hears(MUSIC_HZ));
    } finally {
      await engine.stop();
      await phone.close();
      await host.stop();
    }
  });

  it('does not start without any in the folder, and says so', async () => {
    await writeFile(join(folder, 'readme.txt'), 'no music');
    const refusal = await AsteriskHost.start({ from: 33_500, to: 33_598 }, { holdMusicDir: folder }).then(
      async (host) => {
        await host.stop();
        return null;
      },
      (error: unknown) => error,
    );
    expect(refusal).to.be.instanceOf(Error).with.property('message').that.includes(folder);
  });
});
