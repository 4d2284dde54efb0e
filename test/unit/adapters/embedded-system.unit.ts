import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isExpiredOnly } from '../../../adapters/embedded/packages/private-apt.js';
import { packageOf } from '../../../adapters/embedded/packages/prefix.js';
import { withLock } from '../../../adapters/embedded/system/lock.js';
import { chooseLoopbackPort, isPortFree } from '../../../adapters/embedded/system/ports.js';
import {
  endProcess,
  isAlive,
  processRef,
  rememberedProcess,
  waitForExit,
} from '../../../adapters/embedded/system/process.js';
import { atLeast } from '../../../adapters/embedded/packages/tools.js';
import { failureOf } from '../../support/judges/failure-of.js';

describe('embedded parts: processes, ports, locks', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hatif-unit-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('identifies a process by more than its pid', async () => {
    const child = spawn('cat', { cwd: folder, stdio: ['pipe', 'ignore', 'ignore'] });
    await once(child, 'spawn');
    const ref = processRef(child.pid!)!;
    expect(isAlive(ref)).to.equal(true);
    expect(isAlive({ ...ref, identity: `${ref.identity}0` })).to.equal(false);
    expect(rememberedProcess({ process: ref }, folder)).to.deep.equal(ref);
    expect(rememberedProcess({ process: ref }, `${folder}-copy`), 'of a copied data folder').to.equal(undefined);
    await endProcess(ref, 'SIGTERM', 5_000);
    expect(isAlive(ref)).to.equal(false);
    expect(rememberedProcess({ process: ref }, folder)).to.equal(undefined);
    expect(await waitForExit(ref, 0)).to.equal(true);
  });

  it('kills a process that ignores the first signal', async () => {
    const child = spawn(process.execPath, [
      '-e',
      'process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1e6)',
    ]);
    await once(child.stdout, 'data');
    const ref = processRef(child.pid!)!;
    const closed = once(child, 'exit');
    await endProcess(ref, 'SIGTERM', 50);
    expect(((await closed) as [number | null, string | null])[1]).to.equal('SIGKILL');
  });

  it('ignores a state file without a process', () => {
    for (const state of [undefined, null, 5, {}, { process: {} }, { process: { pid: 'x', identity: 1 } }]) {
      expect(rememberedProcess(state, folder)).to.equal(undefined);
    }
  });

  it('runs one task at a time under a lock, and releases it when the task fails', async () => {
    const file = join(folder, 'deep', 'lock');
    const order: string[] = [];
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let enter: () => void = () => undefined;
    const entered = new Promise<void>((resolve) => (enter = resolve));
    const first = withLock(file, async () => {
      order.push('first in');
      enter();
      await gate;
      order.push('first out');
      throw new Error('work failed');
    });
    await entered;
    const second = withLock(file, () => Promise.resolve(order.push('second in')));
    release();
    expect(await failureOf(first)).to.have.property('message', 'work failed');
    await second;
    expect(order).to.deep.equal(['first in', 'first out', 'second in']);
  });

  it('does not mistake a missing file in the task for a missing program', async () => {
    const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });
    expect(await failureOf(withLock(join(folder, 'lock'), () => Promise.reject(missing)))).to.equal(missing);
  });

  it('keeps the remembered port if it is free, and otherwise chooses another', async () => {
    const free = await chooseLoopbackPort();
    expect(await chooseLoopbackPort(free)).to.equal(free);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await isPortFree(port)).to.equal(false);
    expect(await chooseLoopbackPort(port)).not.to.equal(port);
    server.close();
  });
});

describe('embedded parts: packages', () => {
  const expired =
    'E: Release file for http://mirror/debian/dists/sid/InRelease is expired (invalid since 1d). Updates for this repository will not be applied.';

  it('tolerates an expired index', () => {
    expect(isExpiredOnly({ stderr: `W: something\n${expired}\n` })).to.equal(true);
  });

  for (const [what, stderr] of [
    ['a bad signature', 'E: The following signatures were invalid: BADSIG 0E98404D386FA1D9'],
    ['a missing key', 'E: GPG error: http://mirror sid InRelease: NO_PUBKEY 0E98404D386FA1D9'],
    ['an unsigned index', "E: The repository 'http://mirror sid Release' is not signed."],
    ['an expired index that also has a bad signature', `${expired}\nE: GPG error: http://mirror sid InRelease: BADSIG`],
    ['empty output', ''],
  ] as const) {
    it(`does not tolerate ${what}`, () => expect(isExpiredOnly({ stderr })).to.equal(false));
  }

  it('reads name and version from a package file', () => {
    expect(packageOf('asterisk_1%3a22.10.1+dfsg-1_amd64.deb')).to.deep.equal(['asterisk', '1:22.10.1+dfsg-1']);
  });

  it('compares versions numerically', () => {
    expect(atLeast('22.10.1', [20])).to.equal(true);
    expect(atLeast('6.0.16', [6, 2])).to.equal(false);
    expect(atLeast('6.10', [6, 2])).to.equal(true);
    expect(atLeast('7', [6, 2])).to.equal(true);
    expect(atLeast('6', [6, 2])).to.equal(false);
  });
});
