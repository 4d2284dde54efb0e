import { MediaError } from '../../core/ports/media-store.js';
import { decodeMp3, isMp3 } from './decode-mp3.js';
import { decodeWav, isWav } from './decode-wav.js';
import type { Decoded, DecodeLimits } from './decoded.js';
import { levelled } from './level.js';
import { resample } from './resample.js';

export interface ConvertRequest extends DecodeLimits {
  readonly bytes: Uint8Array;
  /** Loudness to bring it to, in LUFS (ITU-R BS.1770); absent leaves it as it is. */
  readonly loudness?: number;
}

/** Two wav files of the same sound, 16-bit PCM mono. */
export interface Playable {
  /** 8 kHz. */
  readonly narrow: Uint8Array<ArrayBuffer>;
  /** 16 kHz. */
  readonly wide: Uint8Array<ArrayBuffer>;
  readonly durationMs: number;
}

/** Loudness of prompts, uploaded or spoken: one follows the other without a hand at the volume. */
export const PROMPT_LUFS = -20;
export const NARROW_RATE = 8000;
export const WIDE_RATE = 16000;
export const WAV_HEADER_BYTES = 44;
/** What lies above the narrow band is missing there: by more than so much it is not made up for. In dB. */
const NARROW_EXTRA_DB = 6;

/**
 * Makes any wav or mp3 playable on every engine. What it is, is told by its content, never by a name. Uses the processor for
 * long: see `AudioConverter`.
 * @throws MediaError `not_audio`, `empty` or `too_large`.
 */
export async function convert(request: ConvertRequest): Promise<Playable> {
  const { bytes, loudness } = request;
  if (bytes.length === 0) throw new MediaError('empty', 'the file is empty');
  const decoded = await decode(bytes, request);
  let narrow = resample(decoded.samples, decoded.sampleRate, NARROW_RATE);
  let wide = resample(decoded.samples, decoded.sampleRate, WIDE_RATE);
  if (loudness !== undefined) {
    const loud = levelled(wide, WIDE_RATE, loudness);
    wide = loud.samples;
    narrow = levelled(narrow, NARROW_RATE, loudness, loud.gainDb + NARROW_EXTRA_DB).samples;
  }
  return {
    narrow: wavOf(narrow, NARROW_RATE),
    wide: wavOf(wide, WIDE_RATE),
    durationMs: Math.round((decoded.samples.length / decoded.sampleRate) * 1000),
  };
}

async function decode(bytes: Uint8Array, limits: DecodeLimits): Promise<Decoded> {
  if (isWav(bytes)) return decodeWav(bytes, limits);
  if (isMp3(bytes)) return decodeMp3(bytes, limits);
  throw new MediaError('not_audio', 'the file is neither WAV nor MP3');
}

/** RIFF/WAVE of the plainest kind, which every engine reads. */
function wavOf(samples: Float32Array, sampleRate: number): Uint8Array<ArrayBuffer> {
  const wav = new Uint8Array(WAV_HEADER_BYTES + 2 * samples.length);
  const view = new DataView(wav.buffer);
  const name = (at: number, text: string): void => wav.set(Buffer.from(text, 'latin1'), at);
  name(0, 'RIFF');
  view.setUint32(4, wav.length - 8, true);
  name(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, 2 * sampleRate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  name(36, 'data');
  view.setUint32(40, 2 * samples.length, true);
  samples.forEach((sample, i) => {
    const clipped = Math.max(-1, Math.min(1, sample));
    view.setInt16(WAV_HEADER_BYTES + 2 * i, Math.round(clipped * 32767), true);
  });
  return wav;
}
