import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { toneWav } from '../support/judges/audio.js';
import { hears } from '../support/judges/hearing.js';
import { Baresip } from '../support/phones/index.js';
import { AsteriskHost } from './rigs/asterisk-host.js';
import { answeredAt, connected, WITHHELD } from './rigs/stage.js';

const MUSIC_HZ = 1_400;

describe('Asterisk with custom music on hold', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-music-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('plays it to a held leg', async () => {
    await writeFile(join(folder, 'own.wav'), toneWav({ hz: MUSIC_HZ, seconds: 5 }));
    const host = await AsteriskHost.start({ from: 33_500, to: 33_598 }, { holdMusicDir: folder });
    const phone = await Baresip.start({ user: 'held', answer: 'auto' });
    const opened = host.engine();
    const { engine } = opened;
    try {
      await connected(opened);
      const legId = await answeredAt(opened, phone.uri, { callerId: WITHHELD, maxDurationSeconds: 60 });
      await engine.legs.hold(legId);
      await phone.waitToHear(hears(MUSIC_HZ));
    } finally {
      await engine.stop();
      await phone.close();
      await host.stop();
    }
  });

  it('does not start if the directory has no music, and reports the reason', async () => {
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
