import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readSettings } from '../../../config/read-settings.js';
import { openCipher } from '../../../main/install/secret.js';

describe('the installation’s secret', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-secret-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  it('is created once by concurrent first starts, readable only by its owner, and kept afterwards', async () => {
    const settings = readSettings({ HATIF_DATA_DIR: join(folder, 'data') });
    const ciphers = await Promise.all(Array.from({ length: 8 }, () => openCipher(settings)));
    const sealed = ciphers[0]!.seal('a secret');
    for (const cipher of [...ciphers, await openCipher(settings)]) expect(cipher.open(sealed)).to.equal('a secret');
    const files = await readdir(settings.HATIF_DATA_DIR);
    expect(files).to.have.length(1);
    expect((await stat(join(settings.HATIF_DATA_DIR, files[0]!))).mode & 0o777).to.equal(0o600);
  });
});
