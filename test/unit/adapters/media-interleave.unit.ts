import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { interleave } from '../../../adapters/media/interleave.js';
import { RecordingAudioError, type RecordingAudioProblem } from '../../../core/ports/recording-audio.js';
import { readChannels, rmsDb, slice, toneSeconds, toneWav, wavOf } from '../../support/judges/audio.js';

const [LOW_HZ, HIGH_HZ] = [440, 1000];

describe('A recording from taps', () => {
  let folder: string;
  let out: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'hatif-interleave-'));
    out = path.join(folder, 'out.wav');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const tap = (name: string, bytes: Uint8Array): string => {
    const file = path.join(folder, name);
    writeFileSync(file, bytes);
    return file;
  };
  const low = (seconds: number, sampleRate = 8000): Buffer => toneWav({ hz: LOW_HZ, seconds, sampleRate });
  const high = (seconds: number, sampleRate = 8000): Buffer => toneWav({ hz: HIGH_HZ, seconds, sampleRate });

  for (const sampleRate of [8000, 16_000, 48_000]) {
    it(`keeps each tap on its own channel at ${sampleRate} Hz`, async () => {
      const made = await interleave([tap('a', low(1, sampleRate)), tap('b', high(1, sampleRate))], out);
      const [first, second, ...more] = readChannels(out);
      if (!first || !second) throw new Error('channels are missing');
      expect(more).to.deep.equal([]);
      expect(first.sampleRate).to.equal(sampleRate);
      expect([toneSeconds(first, LOW_HZ), toneSeconds(second, HIGH_HZ)]).to.deep.equal([1, 1]);
      expect([toneSeconds(first, HIGH_HZ), toneSeconds(second, LOW_HZ)]).to.deep.equal([0, 0]);
      expect(made).to.deep.equal({ durationMs: 1000, bytes: statSync(out).size, peak: 0.25 });
    });
  }

  it('makes one channel from one tap, sample by sample', async () => {
    const source = low(1.5);
    expect(await interleave([tap('a', source)], out)).to.deep.equal({
      durationMs: 1500,
      bytes: source.length,
      peak: 0.25,
    });
    expect(readFileSync(out).equals(source)).to.equal(true);
  });

  it('adds silence before a tap that started later', async () => {
    // Longer than a chunk, and not a multiple of it.
    const made = await interleave([tap('a', low(1)), tap('b', high(9.3))], out);
    const [first, second] = readChannels(out);
    if (!first || !second) throw new Error('channels are missing');
    expect(made.durationMs).to.equal(9300);
    expect(first.seconds).to.equal(9.3);
    expect(rmsDb(slice(first, 0, 8.3))).to.equal(-Infinity);
    expect(toneSeconds(slice(first, 8.3), LOW_HZ)).to.equal(1);
    expect(toneSeconds(second, HIGH_HZ)).to.be.closeTo(9.3, 0.05);
  });

  it('has a silent channel for a missing tap', async () => {
    expect((await interleave([null, tap('b', high(1))], out)).durationMs).to.equal(1000);
    const [first, second] = readChannels(out);
    expect(first && rmsDb(first)).to.equal(-Infinity);
    expect(second && toneSeconds(second, HIGH_HZ)).to.equal(1);
  });

  it('cuts off audio after the maximum duration', async () => {
    const made = await interleave([tap('a', low(1)), tap('b', high(9))], out, 8500);
    const [first, second] = readChannels(out);
    if (!first || !second) throw new Error('channels are missing');
    expect(made).to.deep.equal({ durationMs: 8500, bytes: statSync(out).size, peak: 0.25 });
    expect(toneSeconds(first, LOW_HZ)).to.be.closeTo(0.5, 0.05);
    expect(toneSeconds(second, HIGH_HZ)).to.be.closeTo(8.5, 0.05);
  });

  it('interleaves any samples of any lengths exactly', async () => {
    const int16 = fc.integer({ min: -32767, max: 32767 });
    const samples = fc.array(int16, { maxLength: 50 });
    const run = async (one: number[], other: number[], stretch: number): Promise<void> => {
      const long = (given: number[]): number[] => Array.from({ length: stretch }, () => given).flat();
      const taps = [long(one), long(other)].map((given) =>
        wavOf(
          Float64Array.from(given, (s) => s / 32767),
          8000,
        ),
      );
      await interleave(
        taps.map((bytes, i) => tap(String(i), bytes)),
        out,
      );
      const channels = readChannels(out).map(({ samples }) => [...samples].map((s) => s * 32768));
      const length = Math.max(one.length, other.length) * stretch;
      const padded = [one, other].map((given) => {
        const samples = long(given);
        return [...Array<number>(length - samples.length).fill(0), ...samples];
      });
      expect(channels).to.deep.equal(padded);
    };
    // 1,000 times 50 samples are more than one chunk.
    await fc.assert(fc.asyncProperty(samples, samples, fc.constantFrom(1, 7, 1000), run), { numRuns: 40 });
  });

  for (const [what, size] of [
    ['no size', 0],
    ['an outdated size', 1000],
    ['a size beyond its end', 0xffff_ffff],
  ] as const) {
    it(`reads a tap to its end if its header has ${what}`, async () => {
      const stale = low(1);
      stale.writeUInt32LE(size, 40);
      stale.writeUInt32LE(size, 4);
      expect((await interleave([tap('a', stale), tap('b', high(0.5))], out)).durationMs).to.equal(1000);
      const [first] = readChannels(out);
      expect(first && toneSeconds(first, LOW_HZ)).to.equal(1);
    });
  }

  it('ignores half a sample at the end', async () => {
    const source = low(1);
    expect((await interleave([tap('a', source.subarray(0, -1))], out)).bytes).to.equal(source.length - 2);
  });

  it('treats a tap without a header, whose writer was killed, as silence', async () => {
    const made = await interleave([tap('a', Buffer.alloc(0)), tap('b', high(1).subarray(0, 8044))], out);
    const [first, second] = readChannels(out);
    expect(made.durationMs).to.equal(500);
    expect(first && rmsDb(first)).to.equal(-Infinity);
    expect(second && toneSeconds(second, HIGH_HZ)).to.be.closeTo(0.5, 0.05);
  });

  it('makes an empty recording from empty taps', async () => {
    const empty = wavOf(new Float64Array(0), 8000);
    expect(await interleave([tap('a', empty), tap('b', empty)], out)).to.deep.equal({
      durationMs: 0,
      bytes: 44,
      peak: 0,
    });
  });

  it('replaces an existing file and leaves no other file', async () => {
    const taps = [tap('a', low(1))];
    writeFileSync(out, 'old');
    await interleave(taps, out);
    expect(readdirSync(folder)).to.have.members(['a', 'out.wav']);
    expect(statSync(out).mode & 0o777).to.equal(0o600);
  });

  const refused: readonly [string, RecordingAudioProblem, () => string[]][] = [
    ['a missing tap', 'missing', () => [path.join(folder, 'none')]],
    ['a file that is not a wav', 'unreadable', () => [tap('a', Buffer.from('ID3 is something else entirely'))]],
    ['two channels in one tap', 'unreadable', () => [tap('a', toneWav({ hz: 440, seconds: 1, channels: 2 }))]],
    ['taps of two sample rates', 'unreadable', () => [tap('a', low(1)), tap('b', low(1, 16_000))]],
    ['taps without a header', 'unreadable', () => [tap('a', Buffer.alloc(0)), tap('b', low(1).subarray(0, 30))]],
    [
      'more data than a wav can contain',
      'too_large',
      () =>
        ['a', 'b'].map((name) => {
          const file = tap(name, low(1));
          truncateSync(file, 2 ** 31 + 100);
          return file;
        }),
    ],
  ];
  for (const [what, problem, taps] of refused) {
    it(`rejects ${what} and writes nothing`, async () => {
      const given = taps();
      const before = readdirSync(folder);
      const error = await interleave(given, out).catch((thrown: unknown) => thrown);
      if (!(error instanceof RecordingAudioError)) throw new Error('expected to be refused', { cause: error });
      expect(error.problem).to.equal(problem);
      expect(readdirSync(folder)).to.deep.equal(before);
    });
  }

  it('reports file system errors', async () => {
    const error = await interleave([tap('a', low(1))], path.join(folder, 'none', 'out.wav')).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(RecordingAudioError).with.property('problem', 'unavailable');
  });

  it('does not block the event loop while it interleaves an hour', async function () {
    this.timeout(30_000);
    const hour = Buffer.alloc(44 + 2 * 8000 * 3600);
    low(1).copy(hour);
    const taps = [tap('a', hour), tap('b', hour)];
    let turns = 0;
    let counting = true;
    const count = (): void => {
      turns++;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const made = await interleave(taps, out);
    counting = false;
    expect(made.durationMs).to.equal(3_600_000);
    // At least one turn of the event loop for each four seconds of the recording.
    expect(turns).to.be.at.least(900);
  });
});
