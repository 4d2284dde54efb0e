import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readSettings } from '../../../config/read-settings.js';
import { openLog } from '../../../main/install/log.js';
import { eventually } from '../../support/eventually.js';

describe('the log file', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-log-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  it('is readable only by its owner', async () => {
    const { file } = openLog(readSettings({ HATIF_DATA_DIR: join(folder, 'data'), LOG_TO: 'file' }));
    const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    await eventually(
      () =>
        modeOf(file ?? '').then(
          () => true,
          () => false,
        ),
      'the file is there',
    );
    expect(await modeOf(file ?? '')).to.equal(0o600);
    expect(await modeOf(join(folder, 'data', 'logs'))).to.equal(0o700);
  });
});
