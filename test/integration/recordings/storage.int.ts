import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { LocalStore } from '../../../adapters/storage/local.js';
import { S3Store } from '../../../adapters/storage/s3.js';
import { openObjectStores } from '../../../adapters/storage/stores.js';
import { StorageError, type ObjectStore, type StorageProblem } from '../../../core/ports/object-store.js';
import { eventually } from '../../support/eventually.js';
import { filesBelow } from '../../support/files-below.js';
import { startS3, type S3Peer } from '../../support/peers/s3.js';
import { TcpProxy } from '../../support/peers/tcp-proxy.js';

const KEY = 'project-1/2026/11/recording-1.wav';
const WAV = 'audio/wav';

interface Rig {
  readonly store: ObjectStore;
  /** The names of all stored files. */
  files(): string[];
  breakStorage(): void;
  restoreStorage(): void;
  close(): Promise<void>;
}

function localRig(): Promise<Rig> {
  const parent = mkdtempSync(path.join(tmpdir(), 'hatif-storage-'));
  const folder = path.join(parent, 'recordings');
  const unmounted = path.join(parent, 'unmounted');
  return Promise.resolve({
    store: new LocalStore(folder),
    files: () => filesBelow(folder),
    // Simulates a disk that is not mounted: nothing can be created at its path, not even by root.
    breakStorage: () => {
      renameIfPresent(folder, unmounted);
      writeFileSync(folder, '');
    },
    restoreStorage: () => {
      rmSync(folder);
      renameIfPresent(unmounted, folder);
    },
    close: () => {
      rmSync(parent, { recursive: true });
      return Promise.resolve();
    },
  });
}

function renameIfPresent(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to);
}

async function s3Rig(): Promise<Rig> {
  const peer = await startS3();
  const proxy = await TcpProxy.start('127.0.0.1', peer.port);
  return {
    store: new S3Store({ ...peer.options, endpoint: `http://127.0.0.1:${proxy.port}` }),
    files: () => peer.keys(),
    breakStorage: () => proxy.cut(),
    restoreStorage: () => proxy.restore(),
    close: async () => {
      await proxy.close();
      await peer.stop();
    },
  };
}

async function problemOf(work: Promise<unknown>): Promise<StorageProblem> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StorageError)) throw new Error('expected a StorageError', { cause: error });
  return error.problem;
}

const RIGS: Record<string, () => Promise<Rig>> = { 'The local storage': localRig, 'The S3 storage': s3Rig };

for (const [name, open] of Object.entries(RIGS)) {
  describe(name, () => {
    let rig: Rig;
    let scratch: string;
    before(async () => {
      rig = await open();
      scratch = mkdtempSync(path.join(tmpdir(), 'hatif-storage-files-'));
    });
    after(async () => {
      rmSync(scratch, { recursive: true });
      await rig.close();
    });
    afterEach(async () => {
      for (const key of rig.files()) await rig.store.remove(key);
    });

    const file = (bytes: Uint8Array): string => {
      const made = path.join(scratch, randomBytes(6).toString('hex'));
      writeFileSync(made, bytes);
      return made;
    };
    const all = async (reading: Promise<Readable>): Promise<Buffer> => buffer(await reading);

    it('is available before anything is stored', async () => {
      await rig.store.check();
    });

    it('returns what was stored, whole and in part', async () => {
      const bytes = randomBytes(300_000);
      await rig.store.put(KEY, file(bytes), WAV);
      expect(await rig.store.size(KEY)).to.equal(bytes.length);
      expect((await all(rig.store.read(KEY))).equals(bytes)).to.equal(true);
      expect((await all(rig.store.read(KEY, { start: 0, end: 1 }))).equals(bytes.subarray(0, 2))).to.equal(true);
      const middle = { start: 100_000, end: 199_999 };
      expect((await all(rig.store.read(KEY, middle))).equals(bytes.subarray(100_000, 200_000))).to.equal(true);
      const last = { start: bytes.length - 5, end: bytes.length - 1 };
      expect((await all(rig.store.read(KEY, last))).equals(bytes.subarray(-5))).to.equal(true);
    });

    it('stores files of many megabytes', async () => {
      const bytes = randomBytes(1024 * 1024);
      const large = file(Buffer.alloc(0));
      const [expected, read] = [createHash('md5'), createHash('md5')];
      for (let i = 0; i < 64; i++) {
        writeFileSync(large, bytes, { flag: 'a' });
        expected.update(bytes);
      }
      await rig.store.put(KEY, large, WAV);
      for await (const chunk of await rig.store.read(KEY)) read.update(chunk as Buffer);
      expect(read.digest('hex')).to.equal(expected.digest('hex'));
    });

    it('stores an empty file', async () => {
      await rig.store.put(KEY, file(Buffer.alloc(0)), WAV);
      expect(await rig.store.size(KEY)).to.equal(0);
    });

    it('replaces existing files', async () => {
      await rig.store.put(KEY, file(randomBytes(1000)), WAV);
      const other = randomBytes(500);
      await rig.store.put(KEY, file(other), WAV);
      expect((await all(rig.store.read(KEY))).equals(other)).to.equal(true);
      expect(rig.files()).to.deep.equal([KEY]);
    });

    it('removes permanently, and does nothing if the file does not exist', async () => {
      await rig.store.put(KEY, file(randomBytes(1000)), WAV);
      await rig.store.remove(KEY);
      await rig.store.remove(KEY);
      expect(rig.files()).to.deep.equal([]);
      expect(await problemOf(rig.store.read(KEY))).to.equal('not_found');
      expect(await problemOf(rig.store.size(KEY))).to.equal('not_found');
    });

    it('reports a missing source file', async () => {
      await rig.store.check();
      expect(await problemOf(rig.store.put(KEY, path.join(scratch, 'none'), WAV))).to.equal('not_found');
    });

    it('continues after a reader disconnected', async () => {
      const bytes = randomBytes(8 * 1024 * 1024);
      await rig.store.put(KEY, file(bytes), WAV);
      for (let i = 0; i < 60; i++) {
        const stream = await rig.store.read(KEY);
        for await (const chunk of stream) {
          expect((chunk as Buffer).length).to.be.greaterThan(0);
          break;
        }
        await eventually(() => stream.destroyed, 'the stream to be closed');
      }
      expect((await all(rig.store.read(KEY))).equals(bytes)).to.equal(true);
    });

    it('fails every operation while it is unavailable, and continues afterwards', async () => {
      const bytes = randomBytes(1000);
      await rig.store.put(KEY, file(bytes), WAV);
      rig.breakStorage();
      try {
        const operations = [
          rig.store.check(),
          rig.store.put(KEY, file(bytes), WAV),
          rig.store.read(KEY),
          rig.store.size(KEY),
          rig.store.remove(KEY),
        ];
        const problems = await Promise.all(operations.map(problemOf));
        expect(problems).to.deep.equal(Array(5).fill('unavailable'));
      } finally {
        rig.restoreStorage();
      }
      await rig.store.check();
      expect((await all(rig.store.read(KEY))).equals(bytes)).to.equal(true);
    });

    for (const key of [
      '../escape',
      '/etc/passwd',
      'a/../../b',
      'a//b',
      '',
      'A b',
      'a/.hidden',
      '.',
      `a/${'b'.repeat(600)}`,
    ]) {
      it(`rejects the key ${JSON.stringify(key.slice(0, 20))}`, async () => {
        const error = await rig.store.size(key).catch((thrown: unknown) => thrown);
        expect(error).to.be.instanceOf(RangeError);
      });
    }
  });
}

describe('Files of the local storage', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'hatif-storage-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are readable only by their owner, whatever the mode of the original', async () => {
    const original = path.join(folder, 'original');
    writeFileSync(original, 'sound');
    chmodSync(original, 0o644);
    await new LocalStore(path.join(folder, 'kept')).put(KEY, original);
    expect(statSync(path.join(folder, 'kept', KEY)).mode & 0o777).to.equal(0o600);
    expect(statSync(path.join(folder, 'kept')).mode & 0o777).to.equal(0o700);
  });

  it('are cleaned of the temporary copies that a killed process left', async () => {
    const original = path.join(folder, 'original');
    writeFileSync(original, 'sound');
    const kept = path.join(folder, 'kept');
    const store = new LocalStore(kept);
    await store.put(KEY, original);
    const leftover = path.join(kept, `${KEY}.0123456789ab.part`);
    writeFileSync(leftover, 'sou');
    await store.remove(KEY);
    writeFileSync(leftover, 'sou');
    await store.put(KEY, original);
    expect(filesBelow(kept)).to.deep.equal([KEY]);
  });
});

describe('The S3 storage and its server', () => {
  let peer: S3Peer;
  before(async () => (peer = await startS3()));
  after(() => peer.stop());

  it('reject a wrong secret', async () => {
    const store = new S3Store({ ...peer.options, secretAccessKey: 'another-secret' });
    expect(await problemOf(store.check())).to.equal('unavailable');
    expect(await problemOf(store.read(KEY))).to.equal('unavailable');
  });

  it('report a missing bucket', async () => {
    const store = new S3Store({ ...peer.options, bucket: 'nobodys' });
    const operations = [store.check(), store.read(KEY), store.size(KEY)];
    expect(await Promise.all(operations.map(problemOf))).to.deep.equal(Array(3).fill('unavailable'));
  });

  it('store the files below the prefix', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'hatif-storage-'));
    const original = path.join(folder, 'original');
    writeFileSync(original, 'sound');
    const store = new S3Store({ ...peer.options, prefix: 'hatif/one', encryption: 'AES256' });
    await store.put(KEY, original, WAV);
    rmSync(folder, { recursive: true });
    expect(peer.keys()).to.deep.equal([`hatif/one/${KEY}`]);
    expect(await store.size(KEY)).to.equal(5);
  });

  it('are unavailable if nothing listens at the address', async () => {
    const store = new S3Store({ ...peer.options, endpoint: 'http://127.0.0.1:9' });
    expect(await problemOf(store.check())).to.equal('unavailable');
  });
});

describe('Storages from the settings', () => {
  it('are both available, so that earlier files in the other storage remain readable', () => {
    const s3 = {
      region: 'us-east-1',
      bucket: 'recordings',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
      forcePathStyle: true,
    };
    const stores = openObjectStores({ use: 's3', folder: tmpdir(), s3 });
    expect([stores.current.kind, stores.of('local').kind, stores.of('s3').kind]).to.deep.equal(['s3', 'local', 's3']);
  });

  it('are unavailable if the settings no longer describe them', async () => {
    const store = openObjectStores({ use: 'local', folder: tmpdir() }).of('s3');
    const operations = [
      store.check(),
      store.size(KEY),
      store.read(KEY),
      store.remove(KEY),
      store.put(KEY, 'file', WAV),
    ];
    expect(await Promise.all(operations.map(problemOf))).to.deep.equal(Array(5).fill('unavailable'));
  });
});
