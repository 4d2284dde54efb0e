import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { processRef } from '../../../adapters/embedded/system/process.js';
import { readSettings } from '../../../config/read-settings.js';
import { commandsFor } from '../../../core/model/commands.js';
import { FolderClaim, refuseSecondStart, runningElsewhere } from '../../../main/install/running.js';
import { eventually } from '../../support/eventually.js';

const ADDRESS = 'http://127.0.0.1:8080';
const NEVER = (error: unknown): never => expect.fail(String(error));

describe('the data folder of a running process', () => {
  let folder: string;
  let other: ChildProcess;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hatif-running-'));
    other = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  });
  afterEach(() => {
    other.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const file = (name: string): string => join(folder, name);
  /** Writes what the other process wrote when it started. */
  const otherRuns = (identity = processRef(other.pid!)!.identity): void => {
    writeFileSync(file('running.json'), JSON.stringify({ process: { pid: other.pid, identity }, address: ADDRESS }));
    writeFileSync(file('hatif.pid'), `${other.pid}\n`);
    writeFileSync(file('bootstrap.json'), '{"base_url":"of the other"}');
  };
  const refused = (environment: Readonly<Record<string, string>> = {}): string => {
    try {
      const settings = readSettings({ HATIF_DATA_DIR: folder, ...environment });
      refuseSecondStart(settings, commandsFor(undefined, ['SIP_PORT=5070']));
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('is refused to a second start, with the process, its address and how to stop or replace it', () => {
    otherRuns();
    const before = readdirSync(folder);
    expect(refused({ PORT: '8090' }))
      .to.include(`process ${other.pid}, ${ADDRESS}`)
      .and.include(`kill ${other.pid}`)
      .and.include('SIP_PORT=5070 HATIF_REPLACE=true npm start');
    expect(refused()).to.include('SIP_PORT=5070 HATIF_REPLACE=true PORT=8081 npm start');
    expect(readdirSync(folder)).to.deep.equal(before);
  });

  it('is open to a start that replaces the process, and to processes without embedded parts', () => {
    otherRuns();
    expect(refused({ HATIF_REPLACE: 'true' })).to.equal('');
    const own = {
      DATABASE_URL: 'postgres://127.0.0.1/hatif',
      REDIS_URL: 'redis://127.0.0.1',
      ASTERISK_ARI_URL: 'http://127.0.0.1:8088/ari',
      ASTERISK_ARI_PASSWORD: 'secret',
    };
    expect(refused(own)).to.equal('');
  });

  it('is free if the process is dead, or if its id belongs to another one by now', async () => {
    otherRuns('another boot:1:1');
    expect(refused()).to.equal('');
    otherRuns();
    other.kill('SIGKILL');
    await once(other, 'exit');
    expect(refused()).to.equal('');
    expect(runningElsewhere(folder)).to.equal(null);
  });

  it('belongs to the process that claims it first, which removes only its own files', () => {
    const claim = new FolderClaim(folder);
    expect(claim.take(ADDRESS)).to.equal(true);
    expect(claim.take(ADDRESS), 'again').to.equal(true);
    claim.release();
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('keeps what a running process wrote until that ends; then the waiting process publishes its own', async () => {
    otherRuns();
    const claim = new FolderClaim(folder);
    let published = 0;
    const publish = (): Promise<void> => {
      published += 1;
      return Promise.resolve();
    };
    await claim.whenTaken('http://127.0.0.1:8081', publish, NEVER);
    expect([published, readFileSync(file('hatif.pid'), 'utf8')]).to.deep.equal([0, `${other.pid}\n`]);
    other.kill('SIGKILL');
    await eventually(() => published === 1, 'the waiting process publishes its addresses');
    expect(readFileSync(file('hatif.pid'), 'utf8')).to.equal(`${process.pid}\n`);
    claim.release();
    expect(existsSync(file('hatif.pid'))).to.equal(false);
    expect(readFileSync(file('bootstrap.json'), 'utf8'), 'keys are never removed').to.include('of the other');
  });

  it('loses nothing if the waiting process stops first', async () => {
    otherRuns();
    const before = readdirSync(folder);
    const claim = new FolderClaim(folder);
    await claim.whenTaken('http://127.0.0.1:8081', () => Promise.reject(new Error('published')), NEVER);
    claim.release();
    expect(readdirSync(folder)).to.deep.equal(before);
    expect(runningElsewhere(folder)?.process.pid).to.equal(other.pid);
  });
});
