import wavefile from 'wavefile';
import { MediaError } from '../../core/ports/media-store.js';
import { decodedOf, type DecodeLimits, type Decoded } from './decoded.js';
import { essentialWav } from './riff.js';

/** wavefile's `fmt` chunk, which its type declarations omit. */
interface Format {
  readonly audioFormat: number;
  readonly numChannels: number;
  readonly sampleRate: number;
  readonly blockAlign: number;
  readonly bitsPerSample: number;
}

/** The full-scale value for each of wavefile's bit depths; floating point is full-scale at 1. */
const FULL_SCALE: Readonly<Record<string, number>> = {
  '8': 128,
  '16': 32768,
  '24': 8388608,
  '32': 2147483648,
  '32f': 1,
  '64': 1,
};
const [PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE] = [1, 3, 6, 7, 0xfffe];
const FORMATS: ReadonlySet<number> = new Set([PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE]);
const MAX_CHANNELS = 8;

export function isWav(bytes: Uint8Array): boolean {
  return bytes.length >= 12 && text(bytes, 0) === 'RIFF' && text(bytes, 8) === 'WAVE';
}

/**
 * Decodes 8 to 32-bit PCM, floating point, A-law and µ-law.
 * @throws MediaError `not_audio`, `empty` or `too_large`
 */
export function decodeWav(bytes: Uint8Array, limits: DecodeLimits): Decoded {
  const wav = parse(essentialWav(bytes));
  // Copied, because converting A-law overwrites it.
  const format = { ...(wav.fmt as Format) };
  checkFormat(format);
  // The duration is checked before the samples are decoded.
  const frames = Math.floor(dataBytes(wav) / format.blockAlign);
  if (frames === 0) throw new MediaError('empty', 'the file contains no audio');
  if (frames / format.sampleRate > limits.maxSeconds) throw tooLong(limits);
  return decodedOf(mixed(wav, format), format.sampleRate);
}

function parse(bytes: Uint8Array): wavefile.WaveFile {
  try {
    return new wavefile.WaveFile(bytes);
  } catch (error) {
    throw new MediaError('not_audio', 'the WAV file is damaged', { cause: error });
  }
}

function checkFormat({ audioFormat, numChannels, sampleRate, blockAlign, bitsPerSample }: Format): void {
  if (!FORMATS.has(audioFormat)) {
    throw new MediaError(
      'not_audio',
      `WAV files of format ${audioFormat} are not supported, only PCM, float, A-law and µ-law`,
    );
  }
  const sane =
    numChannels >= 1 &&
    numChannels <= MAX_CHANNELS &&
    sampleRate >= 4000 &&
    sampleRate <= 192_000 &&
    blockAlign === numChannels * Math.ceil(bitsPerSample / 8) &&
    blockAlign > 0;
  if (!sane) throw new MediaError('not_audio', 'the WAV file has an invalid format');
}

function dataBytes(wav: wavefile.WaveFile): number {
  const { chunkSize, samples } = wav.data as { chunkSize: number; samples: Uint8Array };
  return Math.min(chunkSize, samples.length);
}

/** Averages all channels, full-scale at ±1. */
function mixed(wav: wavefile.WaveFile, { numChannels, audioFormat }: Format): Float32Array {
  let samples: ArrayLike<number>;
  let fullScale: number | undefined;
  try {
    if (audioFormat === A_LAW || wav.bitDepth === '8a') wav.fromALaw('16');
    else if (audioFormat === MU_LAW || wav.bitDepth === '8m') wav.fromMuLaw('16');
    fullScale = FULL_SCALE[wav.bitDepth];
    samples = wav.getSamples(true, Float32Array);
  } catch (error) {
    throw new MediaError('not_audio', 'the WAV file is damaged', { cause: error });
  }
  if (fullScale === undefined) {
    throw new MediaError('not_audio', `WAV files with ${wav.bitDepth} bits are not supported`);
  }
  // 8-bit samples are unsigned.
  const offset = wav.bitDepth === '8' ? 128 : 0;
  const mono = new Float32Array(Math.floor(samples.length / numChannels));
  for (let frame = 0; frame < mono.length; frame++) {
    let sum = 0;
    for (let channel = 0; channel < numChannels; channel++)
      sum += (samples[frame * numChannels + channel] ?? 0) - offset;
    mono[frame] = sum / (numChannels * fullScale);
  }
  return mono;
}

function text(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

export function tooLong({ maxSeconds }: DecodeLimits): MediaError {
  return new MediaError('too_large', `the audio is longer than ${maxSeconds / 60} minutes`);
}
