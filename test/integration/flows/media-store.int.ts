import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { AudioFolder } from '../../../adapters/media/audio-folder.js';
import { convert } from '../../../adapters/media/convert.js';
import { AudioConverter } from '../../../adapters/media/converter.js';
import { AudioMediaStore, MAX_AUDIO_BYTES } from '../../../adapters/media/media-store.js';
import { newId } from '../../../core/model/ids.js';
import { MediaError, type MediaProblem } from '../../../core/ports/media-store.js';
import { readWav, slice, toneShare, toneWav } from '../../support/judges/audio.js';
import { skipBecause } from '../../support/skip.js';

const TONE = toneWav({ hz: 440, seconds: 0.4 });
const PROJECT = newId();

async function refused(work: Promise<unknown>): Promise<MediaError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof MediaError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

async function problemOf(work: Promise<unknown>): Promise<MediaProblem> {
  return (await refused(work)).problem;
}

describe('Media store', function () {
  this.timeout(60_000);

  let dir: string;
  let store: AudioMediaStore;
  let server: Server;
  let base: string;
  let requestedUrls: string[];
  let answer: RequestListener;

  beforeEach(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'hatif-media-'));
    chmodSync(dir, 0o755);
    store = new AudioMediaStore({ dir: path.join(dir, 'media'), allowLoopback: true, timeoutMs: 2000 });
    requestedUrls = [];
    answer = (_request, response) => response.end(TONE);
    server = createServer((request, response) => {
      requestedUrls.push(request.url ?? '');
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    await store.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(dir, { recursive: true, force: true });
  });

  function expectTone(stored: string, hz: number): void {
    for (const [extension, rate] of [
      ['.wav', 8000],
      ['.wav16', 16000],
    ] as const) {
      const audio = readWav(stored + extension);
      expect(audio.sampleRate).to.equal(rate);
      expect(toneShare(slice(audio, 0.1, 0.3), hz)).to.be.greaterThan(0.99);
    }
  }

  describe('stores uploads', () => {
    it('as two files that engines can play, and deletes both', async () => {
      const id = newId();
      const stored = await store.put(id, TONE, PROJECT);
      expect(stored).to.deep.equal({ path: store.pathOf(id), durationMs: 400 });
      expect(path.isAbsolute(stored.path)).to.equal(true);
      expectTone(stored.path, 440);
      await store.remove(id);
      expect(readdirSync(path.dirname(stored.path))).to.deep.equal([]);
      await store.remove(id);
    });

    it('readable by other users, whatever the umask is', async () => {
      const before = process.umask(0o077);
      try {
        const { path: file } = await store.put(newId(), TONE, PROJECT);
        expect(statSync(`${file}.wav`).mode & 0o777).to.equal(0o644);
        expect(statSync(`${file}.wav16`).mode & 0o777).to.equal(0o644);
        for (let folder = path.dirname(file); folder !== dir; folder = path.dirname(folder)) {
          expect(statSync(folder).mode & 0o777, folder).to.equal(0o755);
        }
      } finally {
        process.umask(before);
      }
    });

    it('but nothing of a refused upload', async () => {
      expect(await problemOf(store.put(newId(), Buffer.from('no audio'), PROJECT))).to.equal('not_audio');
      expect(await problemOf(store.put(newId(), new Uint8Array(0), PROJECT))).to.equal('empty');
      expect(await problemOf(store.put(newId(), new Uint8Array(MAX_AUDIO_BYTES + 1), PROJECT))).to.equal('too_large');
      expect(existsSync(path.join(dir, 'media'))).to.equal(false);
    });

    it('under ids only, so no name can leave the folder', () => {
      for (const name of ['../secret', 'a/b', '', '.', 'a\0b'])
        expect(() => store.pathOf(name), name).to.throw(RangeError);
    });

    it('or reports that it cannot', async () => {
      writeFileSync(path.join(dir, 'media'), 'a file where the folder should be');
      const error = await refused(store.put(newId(), TONE, PROJECT));
      expect(error.problem).to.equal('unavailable');
      expect(error.cause).to.be.instanceOf(Error);
    });

    it('without changing the input buffer', async () => {
      const bytes = Buffer.from(TONE);
      await store.put(newId(), bytes, PROJECT);
      expect(bytes.equals(TONE)).to.equal(true);
    });
  });

  describe('fetches', () => {
    it('each URL once per minute, also for concurrent requests', async () => {
      const stored = await Promise.all([1, 2, 3].map(() => store.fetch(`${base}/tone.wav`, PROJECT)));
      expect(new Set(stored.map((one) => one.path)).size).to.equal(1);
      expect(stored[0]?.durationMs).to.equal(400);
      expectTone(stored[0]!.path, 440);
      await store.fetch(`${base}/tone.wav`, PROJECT);
      expect(requestedUrls).to.deep.equal(['/tone.wav']);
    });

    it('again if the file is missing', async () => {
      const { path: file } = await store.fetch(`${base}/tone.wav`, PROJECT);
      rmSync(`${file}.wav`);
      expectTone((await store.fetch(`${base}/tone.wav`, PROJECT)).path, 440);
      expect(requestedUrls).to.have.length(2);
    });

    it('equal audio from two URLs into one file, different audio into another', async () => {
      const first = await store.fetch(`${base}/a`, PROJECT);
      const same = await store.fetch(`${base}/b`, PROJECT);
      answer = (_request, response) => response.end(toneWav({ hz: 700, seconds: 0.4 }));
      const other = await store.fetch(`${base}/c`, PROJECT);
      expect(same).to.deep.equal(first);
      expect(other.path).not.to.equal(first.path);
      expectTone(first.path, 440);
      expectTone(other.path, 700);
    });

    it('again after a failure', async () => {
      answer = (_request, response) => response.writeHead(503).end();
      expect(await problemOf(store.fetch(`${base}/tone.wav`, PROJECT))).to.equal('bad_status');
      answer = (_request, response) => response.end(TONE);
      await store.fetch(`${base}/tone.wav`, PROJECT);
      expect(requestedUrls).to.have.length(2);
    });
  });

  describe('refuses to fetch', () => {
    it('from anything but public https addresses', async () => {
      const closed = new AudioMediaStore({ dir });
      const urls: [string, MediaProblem][] = [
        [`${base}/tone.wav`, 'not_https'],
        ['http://example.com/a.wav', 'not_https'],
        ['ftp://example.com/a.wav', 'not_https'],
        ['file:///etc/passwd', 'not_https'],
        ['nonsense', 'not_https'],
        ['https://user:secret@example.com/a.wav', 'not_https'],
        [base.replace('http', 'https'), 'private_address'],
        ['https://127.1/a.wav', 'private_address'],
        ['https://2130706433/a.wav', 'private_address'],
        ['https://[::1]/a.wav', 'private_address'],
        ['https://[::ffff:10.0.0.1]/a.wav', 'private_address'],
        ['https://10.1.2.3/a.wav', 'private_address'],
        ['https://192.168.1.1/a.wav', 'private_address'],
        ['https://169.254.169.254/latest/meta-data', 'private_address'],
        ['https://0.0.0.0/a.wav', 'private_address'],
        // A host name that resolves to this machine.
        [base.replace('http://127.0.0.1', 'https://localhost'), 'private_address'],
      ];
      for (const [url, problem] of urls) expect(await problemOf(closed.fetch(url, PROJECT)), url).to.equal(problem);
      expect(requestedUrls).to.deep.equal([]);
      await closed.close();
    });

    it('through a redirect', async () => {
      answer = (_request, response) => response.writeHead(302, { location: `${base}/elsewhere` }).end(TONE);
      expect(await problemOf(store.fetch(`${base}/tone.wav`, PROJECT))).to.equal('bad_status');
      expect(requestedUrls).to.deep.equal(['/tone.wav']);
    });

    it('more than 10 MB, with or without a declared length', async () => {
      answer = (_request, response) => {
        response.writeHead(200, { 'content-length': MAX_AUDIO_BYTES + 1 });
        response.flushHeaders();
      };
      expect(await problemOf(store.fetch(`${base}/announced`, PROJECT))).to.equal('too_large');
      let sent = 0;
      const closed = new Promise<void>((resolve) => {
        answer = (_request, response) => {
          const piece = Buffer.alloc(256 * 1024);
          const send = (): void => {
            sent += piece.length;
            // Fifty times the limit if the client does not stop it.
            if (sent > 50 * MAX_AUDIO_BYTES || response.destroyed) response.destroy();
            else response.write(piece, send);
          };
          response.once('close', resolve);
          send();
        };
      });
      expect(await problemOf(store.fetch(`${base}/endless`, PROJECT))).to.equal('too_large');
      await closed;
      expect(sent).to.be.lessThan(5 * MAX_AUDIO_BYTES);
    });

    it('late or incomplete responses', async () => {
      const impatient = new AudioMediaStore({ dir, allowLoopback: true, timeoutMs: 200 });
      answer = () => undefined;
      expect(await problemOf(impatient.fetch(`${base}/silent`, PROJECT))).to.equal('unreachable');
      answer = (_request, response) => response.write('RIFF');
      expect(await problemOf(impatient.fetch(`${base}/slow`, PROJECT))).to.equal('unreachable');
      answer = (_request, response) => {
        response.writeHead(200, { 'content-length': TONE.length });
        response.write(TONE.subarray(0, 100), () => response.destroy());
      };
      expect(await problemOf(impatient.fetch(`${base}/cut`, PROJECT))).to.equal('unreachable');
      await impatient.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      expect(await problemOf(store.fetch(`${base}/nobody`, PROJECT))).to.equal('unreachable');
    });

    it('anything but audio', async () => {
      answer = (_request, response) => response.end('<html></html>');
      expect(await problemOf(store.fetch(`${base}/page`, PROJECT))).to.equal('not_audio');
      answer = (_request, response) => response.end();
      expect(await problemOf(store.fetch(`${base}/nothing`, PROJECT))).to.equal('empty');
    });
  });

  describe('converts', () => {
    it('in a worker thread, with the same result as in the main thread', async () => {
      const here = await convert({ audio: TONE, maxSeconds: 1 });
      const there = await new AudioConverter().convert({ audio: TONE, maxSeconds: 1 });
      expect(Buffer.from(there.narrow).equals(Buffer.from(here.narrow))).to.equal(true);
      expect(Buffer.from(there.wide).equals(Buffer.from(here.wide))).to.equal(true);
    });

    it('a limited number at a time, in order, and rejects the rest', async () => {
      const converter = new AudioConverter({ atOnce: 1, waiting: 1 });
      const done: string[] = [];
      const turn = async (name: string): Promise<void> => {
        await converter.convert({ audio: TONE, maxSeconds: 1 });
        done.push(name);
      };
      const [first, second, third] = [turn('first'), turn('second'), turn('third')];
      expect(await problemOf(third)).to.equal('unavailable');
      await Promise.all([first, second]);
      expect(done).to.deep.equal(['first', 'second']);
      await turn('fourth');
    });

    it('what a call needs without waiting for uploads', async () => {
      const long = toneWav({ hz: 440, seconds: 20 });
      let uploaded = 0;
      const uploads = Array.from({ length: 20 }, async () => {
        await store.put(newId(), long, PROJECT);
        uploaded += 1;
      });
      await store.putTemporary(TONE, PROJECT);
      expect(uploaded).to.be.lessThan(uploads.length);
      await Promise.all(uploads);
    });

    it('a file that is not held by the caller', async () => {
      const file = path.join(dir, 'upload');
      writeFileSync(file, TONE);
      const { path: converted } = await store.put(newId(), { file }, PROJECT);
      expectTone(converted, 440);
      writeFileSync(file, Buffer.alloc(MAX_AUDIO_BYTES + 1));
      expect(await problemOf(store.put(newId(), { file }, PROJECT))).to.equal('too_large');
      rmSync(file);
      expect(await problemOf(store.put(newId(), { file }, PROJECT))).to.equal('unavailable');
    });

    it('files of projects in turns', async () => {
      const converter = new AudioConverter();
      const done: string[] = [];
      const turn = async (project: string): Promise<void> => {
        await converter.convert({ audio: TONE, maxSeconds: 1 }, project);
        done.push(project);
      };
      await Promise.all([...['big', 'big', 'big', 'big', 'big', 'big'].map(turn), turn('small')]);
      expect(done.indexOf('small')).to.be.at.most(2);
    });

    it('files of projects in turns, of uploads and of calls', async () => {
      for (const way of ['put', 'putTemporary'] as const) {
        const done: string[] = [];
        const [big, small] = [newId(), newId()];
        const stores = async (project: string): Promise<void> => {
          await (way === 'put' ? store.put(newId(), TONE, project) : store.putTemporary(TONE, project));
          done.push(project);
        };
        await Promise.all([...Array.from({ length: 20 }, () => stores(big)), stores(small)]);
        expect(done.indexOf(small), way).to.be.lessThan(10);
      }
    });

    it('nothing that waited for its whole time limit', async () => {
      const converter = new AudioConverter({ timeoutMs: 300 });
      const long = toneWav({ hz: 440, seconds: 200, sampleRate: 48_000 });
      const first = problemOf(converter.convert({ audio: long, maxSeconds: 600 }, 'one'));
      const second = problemOf(converter.convert({ audio: TONE, maxSeconds: 1 }, 'two'));
      expect(await Promise.all([first, second])).to.deep.equal(['unavailable', 'unavailable']);
    });

    it('within a time limit, then serves the next file', async () => {
      const hasty = new AudioConverter({ timeoutMs: 1 });
      expect(await problemOf(hasty.convert({ audio: TONE, maxSeconds: 1 }))).to.equal('unavailable');
      expect(await problemOf(hasty.convert({ audio: TONE, maxSeconds: 1 }))).to.equal('unavailable');
    });
  });

  describe('limits its cache', () => {
    it('by deleting the least recently used files, but none that may be playing', async () => {
      const playable = await convert({ audio: TONE, maxSeconds: 1 });
      const bytesOfOne = playable.narrow.length + playable.wide.length;
      const folder = new AudioFolder(path.join(dir, 'cache'), { maxBytes: 2 * bytesOfOne, keepMs: 3600_000 });
      const names = ['oldest', 'older', 'used', 'new'];
      for (const [i, name] of names.entries()) {
        const { path: file } = await folder.write(name, playable);
        const then = new Date(Date.now() - (10 - i) * 3600_000);
        if (name !== 'new') for (const extension of ['.wav', '.wav16']) utimesSync(file + extension, then, then);
      }
      await folder.find('oldest');
      await folder.prune();
      const left = await Promise.all(names.map((name) => folder.find(name)));
      expect(names.filter((_, i) => left[i] !== null)).to.deep.equal(['oldest', 'new']);
    });

    it('and never exposes partial files', async () => {
      const playable = await convert({ audio: TONE, maxSeconds: 1 });
      const folder = new AudioFolder(path.join(dir, 'cache'));
      await Promise.all([1, 2, 3, 4].map(() => folder.write('same', playable)));
      expect(readdirSync(path.join(dir, 'cache')).sort()).to.deep.equal(['same.wav', 'same.wav16']);
      rmSync(path.join(dir, 'cache', 'same.wav16'));
      expect(await folder.find('same')).to.equal(null);
    });
  });

  it('is readable by an unrelated user', async function () {
    if (process.getuid?.() !== 0) skipBecause(this, 'only root can become another user');
    const { path: file } = await store.put(newId(), TONE, PROJECT);
    const seen = execFileSync('cat', [`${file}.wav`], { uid: 65534, gid: 65534 });
    expect(seen.length).to.equal(statSync(`${file}.wav`).size);
  });
});
