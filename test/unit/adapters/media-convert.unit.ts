import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import wavefile from 'wavefile';
import { convert, type Playable } from '../../../adapters/media/convert.js';
import { loudnessOf } from '../../../adapters/media/loudness.js';
import { MediaError, type MediaProblem } from '../../../core/ports/media-store.js';
import { peak, readWav, rmsDb, slice, toneShare, toneWav, wavOf, type Audio } from '../../support/judges/audio.js';

const { WaveFile } = wavefile;
const fixture = (name: string): Buffer => readFileSync(new URL(`../../support/fixtures/${name}`, import.meta.url));
const MP3 = fixture('tone-440-stereo-vbr-id3.mp3');
const MP3_8_KBPS = fixture('tone-440-8kbps.mp3');
/** Starts and ends like an archive; it contains no frame and no chunk. */
const ZIP = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(6000, 'zip'), Buffer.from('PK\x05\x06')]);
const LIMITS = { maxSeconds: 600 };

/** A 440 Hz sine at a quarter of full scale (-15 dBFS RMS), in any of wavefile's bit depths. */
function wav(bitDepth: string, sampleRate: number, channels = 1, seconds = 0.5): Uint8Array {
  const file = new WaveFile();
  const isFloat = bitDepth === '32f' || bitDepth === '64';
  const law = bitDepth === '8a' || bitDepth === '8m';
  const fullScale = isFloat ? 1 : law ? 32768 : 2 ** (Number(bitDepth) - 1);
  const offset = bitDepth === '8' ? 128 : 0;
  const samples = Float64Array.from({ length: Math.round(seconds * sampleRate) }, (_, i) => {
    const value = 0.25 * fullScale * Math.sin((2 * Math.PI * 440 * i) / sampleRate);
    return offset + (isFloat ? value : Math.round(value));
  });
  file.fromScratch(
    channels,
    sampleRate,
    law ? '16' : bitDepth,
    channels === 1 ? samples : Array(channels).fill(samples),
  );
  if (bitDepth === '8a') file.toALaw();
  if (bitDepth === '8m') file.toMuLaw();
  return file.toBuffer();
}

/** Noise with the level changes of speech. */
function babble({ level, pauses, click = false }: { level: number; pauses: boolean; click?: boolean }): Uint8Array {
  const [rate, seconds] = [16000, 4];
  let [noise, seed] = [0, 1];
  const samples = Float64Array.from({ length: rate * seconds }, (_, i) => {
    seed = (seed * 48271) % 2147483647;
    noise += 0.3 * (seed / 1073741823.5 - 1 - noise);
    const swing = Math.sin((2 * Math.PI * 3 * i) / rate) ** 2;
    const isPause = pauses && Math.floor(i / rate) % 2 === 1;
    return isPause ? 0 : level * swing * noise * (click ? 0.05 : 1);
  });
  if (click) for (let at = 4000; at < samples.length; at += 16000) samples[at] = level;
  return wavOf(samples, rate);
}

function lufs(audio: Audio): number {
  return loudnessOf(Float32Array.from(audio.samples), audio.sampleRate);
}

function middle(audio: Audio): Audio {
  return slice(audio, 0.1, Math.min(audio.seconds, 0.5) - 0.1);
}

function expectTone(playable: Playable, hz: number): void {
  for (const [bytes, rate] of [
    [playable.narrow, 8000],
    [playable.wide, 16000],
  ] as const) {
    const audio = readWav(bytes);
    expect(audio.sampleRate).to.equal(rate);
    expect(audio.seconds * 1000).to.be.closeTo(playable.durationMs, 2);
    expect(toneShare(middle(audio), hz)).to.be.greaterThan(0.99);
    expect(rmsDb(middle(audio))).to.be.closeTo(-15.05, 0.5);
  }
}

async function problemOf(bytes: Uint8Array, limits = LIMITS): Promise<MediaProblem | 'none'> {
  try {
    await convert({ audio: bytes, ...limits });
    return 'none';
  } catch (error) {
    if (error instanceof MediaError) return error.problem;
    throw error;
  }
}

describe('Audio conversion', () => {
  for (const bitDepth of ['8', '16', '24', '32', '32f', '64', '8a', '8m']) {
    for (const [rate, channels] of [
      [8000, 1],
      [44100, 2],
    ] as const) {
      it(`keeps a tone: wav of ${bitDepth} bits, ${rate} Hz, ${channels} channels`, async () => {
        const playable = await convert({ audio: wav(bitDepth, rate, channels), ...LIMITS });
        expect(playable.durationMs).to.equal(500);
        expectTone(playable, 440);
      });
    }
  }

  for (const rate of [6000, 11025, 16000, 22050, 32000, 37800, 48000, 96000, 192000]) {
    it(`keeps a tone from ${rate} Hz`, async () => {
      expectTone(await convert({ audio: wav('16', rate), ...LIMITS }), 440);
    });
  }

  it('keeps a tone of an mp3 with a tag, variable bit rate and two channels', async () => {
    const playable = await convert({ audio: MP3, ...LIMITS });
    expect(playable.durationMs).to.be.within(950, 1100);
    expectTone(playable, 440);
  });

  it('keeps a tone of an mp3 of 8 kbit/s', async () => {
    const narrow = readWav((await convert({ audio: MP3_8_KBPS, ...LIMITS })).narrow);
    expect(toneShare(slice(narrow, 0.15, 0.4), 440)).to.be.greaterThan(0.9);
  });

  it('does not alias: frequencies above the band are removed', async () => {
    const { narrow, wide } = await convert({
      audio: toneWav({ hz: 5500, seconds: 0.5, sampleRate: 48000 }),
      ...LIMITS,
    });
    expect(rmsDb(middle(readWav(narrow)))).to.be.lessThan(-75);
    expect(rmsDb(middle(readWav(wide)))).to.be.closeTo(-15.05, 0.3);
    expect(toneShare(middle(readWav(wide)), 5500)).to.be.greaterThan(0.99);
  });

  it('mixes all channels', async () => {
    const file = new WaveFile();
    const channel = (hz: number) =>
      Float64Array.from({ length: 8000 }, (_, i) => 8000 * Math.sin((2 * Math.PI * hz * i) / 16000));
    file.fromScratch(2, 16000, '16', [channel(440), channel(700)]);
    const { wide } = await convert({ audio: file.toBuffer(), ...LIMITS });
    const audio = middle(readWav(wide));
    expect(toneShare(audio, 440)).to.be.closeTo(0.5, 0.02);
    expect(toneShare(audio, 700)).to.be.closeTo(0.5, 0.02);
  });

  for (const [what, bytes] of [
    ['a quiet tone', () => toneWav({ hz: 1000, seconds: 1, level: 0.005, sampleRate: 16000 })],
    ['a loud tone', () => toneWav({ hz: 1000, seconds: 1, level: 0.99, sampleRate: 44100 })],
    ['a low tone in stereo', () => toneWav({ hz: 200, seconds: 2, level: 0.3, sampleRate: 48000, channels: 2 })],
    ['an mp3', () => MP3],
    ['a very short tone', () => toneWav({ hz: 1000, seconds: 0.1, level: 0.1 })],
    ['speech with pauses', () => babble({ level: 0.02, pauses: true })],
    ['peaky speech', () => babble({ level: 0.9, pauses: false, click: true })],
  ] as const) {
    it(`levels the loudness of ${what} to -20 LUFS, without clipping`, async () => {
      const { narrow, wide } = await convert({ audio: bytes(), ...LIMITS, loudness: -20 });
      for (const audio of [readWav(narrow), readWav(wide)]) {
        expect(lufs(audio)).to.be.closeTo(-20, 2);
        expect(peak(audio)).to.be.lessThan(0.98);
      }
    });
  }

  it('levels a tone to the calculated level: -20 LUFS at 1 kHz are -20 dBFS RMS', async () => {
    const { narrow, wide } = await convert({ audio: toneWav({ hz: 1000, seconds: 1 }), ...LIMITS, loudness: -20 });
    for (const audio of [readWav(narrow), readWav(wide)]) expect(rmsDb(middle(audio))).to.be.closeTo(-20, 0.3);
  });

  it('does not amplify noise or silence', async () => {
    const hiss = await convert({ audio: toneWav({ hz: 1000, seconds: 1, level: 0.0005 }), ...LIMITS, loudness: -20 });
    expect(lufs(readWav(hiss.wide))).to.be.closeTo(-69 + 40, 3);
    const silence = await convert({ audio: wavOf(new Float64Array(8000), 8000), ...LIMITS, loudness: -20 });
    expect(rmsDb(readWav(silence.wide))).to.equal(-Infinity);
  });

  it('accepts a WAV written to a pipe, with sizes that are far too large', async () => {
    const piped = Buffer.from(toneWav({ hz: 440, seconds: 0.5 }));
    piped.writeUInt32LE(0xffffffff, 4);
    piped.writeUInt32LE(0x7ffff000, 40);
    expectTone(await convert({ audio: piped, ...LIMITS }), 440);
  });

  it('accepts a WAV with other chunks around the audio', async () => {
    const plain = Buffer.from(toneWav({ hz: 440, seconds: 0.5 }));
    const chunk = Buffer.from('LIST\x05\x00\x00\x00INFOa\x00', 'latin1');
    const whole = Buffer.concat([plain.subarray(0, 36), chunk, plain.subarray(36), chunk]);
    whole.writeUInt32LE(whole.length - 8, 4);
    expectTone(await convert({ audio: whole, ...LIMITS }), 440);
  });

  describe('rejects', () => {
    const cases: [string, () => Uint8Array, MediaProblem][] = [
      ['nothing', () => new Uint8Array(0), 'empty'],
      ['text', () => Buffer.from('<html>not audio</html>'), 'not_audio'],
      ['noise', () => Uint8Array.from({ length: 20000 }, (_, i) => (i * 7919 * (i % 251)) & 0xff), 'not_audio'],
      ['a wav without audio', () => wavOf(new Float64Array(0), 8000), 'empty'],
      ['half a header', () => toneWav({ hz: 440, seconds: 0.1 }).subarray(0, 30), 'not_audio'],
      ['a wav with no channel', () => changed(22, 0), 'not_audio'],
      ['a wav with a thousand channels', () => changed(22, 1000), 'not_audio'],
      ['a wav with no sample rate', () => changed(24, 0), 'not_audio'],
      ['a wav of an unknown format', () => changed(20, 0x0055), 'not_audio'],
      ['ADPCM', () => changed(20, 0x0011), 'not_audio'],
      ['a block size that does not fit', () => changed(32, 0), 'not_audio'],
      ['a single mp3 frame', () => MP3_8_KBPS.subarray(0, 72), 'not_audio'],
      [
        'an mp3 tag without audio',
        () => Buffer.concat([Buffer.from('ID3\x04\x00\x00\x00\x00\x00\x00'), Buffer.alloc(500)]),
        'not_audio',
      ],
      ['a truncated wav', () => toneWav({ hz: 440, seconds: 0.5 }).subarray(0, 4000), 'not_audio'],
      ['a wav whose data chunk claims to be longer', () => sized(40, 100_000), 'not_audio'],
      ['a wav whose size ends before its data chunk', () => sized(4, 1000), 'not_audio'],
      ['a wav with a zip appended', () => Buffer.concat([toneWav({ hz: 440, seconds: 0.1 }), ZIP]), 'not_audio'],
      ['a wav with a million chunks', () => manyParts(), 'not_audio'],
      ['a wav with only a data chunk', () => soundAlone(), 'not_audio'],
      ['an mp3 with a web page prepended', () => Buffer.concat([Buffer.from('<script>0</script>'), MP3]), 'not_audio'],
      ['an mp3 with a zip appended', () => Buffer.concat([MP3, ZIP]), 'not_audio'],
      ['two mp3 frames and garbage', () => Buffer.concat([MP3_8_KBPS.subarray(0, 288), ZIP]), 'not_audio'],
      ['a zip', () => ZIP, 'not_audio'],
      ['a gzip of a wav', () => gzipSync(toneWav({ hz: 440, seconds: 0.5 })), 'not_audio'],
      ['samples that are not numbers', () => floats([Number.NaN, Infinity]), 'not_audio'],
      ['a wav of 44 minutes in 10 MB', () => hours(), 'too_large'],
      [
        'an mp3 that expands to hours',
        () => Buffer.concat(Array<Buffer>(4000).fill(MP3_8_KBPS.subarray(144))),
        'too_large',
      ],
    ];
    for (const [what, bytes, problem] of cases) {
      it(what, async () => expect(await problemOf(bytes())).to.equal(problem));
    }

    function changed(at: number, value: number): Buffer {
      const bytes = Buffer.from(toneWav({ hz: 440, seconds: 0.1 }));
      bytes.writeUInt16LE(value, at);
      return bytes;
    }

    function sized(at: number, value: number): Buffer {
      const bytes = Buffer.from(toneWav({ hz: 440, seconds: 0.1 }));
      bytes.writeUInt32LE(value, at);
      return bytes;
    }

    function manyParts(): Buffer {
      const plain = toneWav({ hz: 440, seconds: 0.1 });
      const empty = Buffer.from('LIST\0\0\0\0', 'latin1');
      const bytes = Buffer.concat([plain.subarray(0, 36), ...Array<Buffer>(1_000_000).fill(empty), plain.subarray(36)]);
      bytes.writeUInt32LE(bytes.length - 8, 4);
      return bytes;
    }

    function soundAlone(): Buffer {
      const plain = toneWav({ hz: 440, seconds: 0.1 });
      const bytes = Buffer.concat([plain.subarray(0, 12), plain.subarray(36)]);
      bytes.writeUInt32LE(bytes.length - 8, 4);
      return bytes;
    }

    function floats(values: number[]): Uint8Array {
      const file = new WaveFile();
      file.fromScratch(1, 8000, '32f', values);
      return file.toBuffer();
    }

    function hours(): Uint8Array {
      const bytes = Buffer.concat([toneWav({ hz: 440, seconds: 0 }), Buffer.alloc(10_000_000, 128)]);
      bytes.writeUInt32LE(bytes.length - 8, 4);
      bytes.writeUInt32LE(4000, 24);
      bytes.writeUInt32LE(4000, 28);
      bytes.writeUInt16LE(1, 32);
      bytes.writeUInt16LE(8, 34);
      bytes.writeUInt32LE(10_000_000, 40);
      return bytes;
    }
  });

  it('turns broken files into a MediaError or into audio, never anything else', async function () {
    this.timeout(120_000);
    const seeds = [
      toneWav({ hz: 440, seconds: 0.02 }),
      Buffer.from(wav('24', 16000, 2, 0.02)),
      Buffer.from(wav('8a', 8000, 1, 0.05)),
      Buffer.from(wav('32f', 8000, 1, 0.02)),
      MP3_8_KBPS,
    ];
    const change = fc.record({ at: fc.nat({ max: 400 }), value: fc.nat({ max: 255 }) });
    const broken = fc
      .record({
        seed: fc.constantFrom(...seeds),
        changes: fc.array(change, { minLength: 1, maxLength: 12 }),
        keep: fc.double({ min: 0, max: 1, noNaN: true }),
      })
      .map(({ seed, changes, keep }) => {
        const bytes = Buffer.from(seed.subarray(0, Math.ceil(seed.length * Math.max(keep, 0.1))));
        for (const { at, value } of changes) bytes[at % Math.min(bytes.length, 128)] = value;
        return bytes;
      });
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(broken, async (bytes) => {
        seen.add(await problemOf(bytes));
      }),
      { numRuns: 1500 },
    );
    // The random changes must produce both outcomes.
    expect([...seen]).to.include.members(['none', 'not_audio']);
  });
});
