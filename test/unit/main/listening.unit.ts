import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandsFor } from '../../../core/model/commands.js';
import { listening } from '../../../main/install/listening.js';
import { runningProcess } from '../../../main/install/pid-file.js';

describe('a port that is in use', () => {
  const port = { name: 'PORT', value: 8080 } as const;
  const fails = async (running: number | null): Promise<string> =>
    listening({ HOST: '127.0.0.1', port, commands: commandsFor(undefined), running }, () =>
      Promise.reject(Object.assign(new Error('in use'), { code: 'EADDRINUSE' })),
    ).then(
      () => 'listened',
      (error: unknown) => (error as Error).message,
    );

  it('is replaced by another one if another program has it', async () => {
    expect(await fails(null)).to.equal(
      'PORT: 127.0.0.1:8080 is used by another program. Choose another port: PORT=8081 npm start',
    );
  });

  it('names the process of Hatif that runs with the same data, which has to stop first', async () => {
    expect(await fails(4711)).to.match(
      /process 4711\): to start it again, stop that process first\..*PORT=8081 npm start/,
    );
  });
});

describe('the process of a data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hatif-pid-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('is the one that the file names, as long as it runs', () => {
    const holds = (pid: number): number | null => {
      writeFileSync(join(folder, 'hatif.pid'), `${pid}\n`);
      return runningProcess(folder);
    };
    expect(runningProcess(folder), 'no file').to.equal(null);
    // The parent of this test is npm or mocha, which node runs.
    expect(holds(process.ppid)).to.equal(process.ppid);
    expect(holds(process.pid), 'this process').to.equal(null);
    expect(holds(2 ** 30), 'no process').to.equal(null);
  });
});
