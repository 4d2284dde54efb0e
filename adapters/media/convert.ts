import { readFile } from 'node:fs/promises';
import { MediaError, type AudioInput } from '../../core/ports/media-store.js';
import { decodeMp3, isMp3 } from './decode-mp3.js';
import { decodeWav, isWav } from './decode-wav.js';
import type { Decoded, DecodeLimits } from './decoded.js';
import { levelled } from './level.js';
import { resample } from './resample.js';
import { wavOf } from './wav.js';

export interface ConvertRequest extends DecodeLimits {
  readonly audio: AudioInput;
  /** Target loudness in LUFS (ITU-R BS.1770); absent keeps the loudness. */
  readonly loudness?: number;
}

/** Two WAV files of the same audio, 16-bit PCM mono. */
export interface Playable {
  /** 8 kHz. */
  readonly narrow: Uint8Array<ArrayBuffer>;
  /** 16 kHz. */
  readonly wide: Uint8Array<ArrayBuffer>;
  readonly durationMs: number;
}

/** Loudness of prompts, uploaded or synthesized, so that all prompts are equally loud. */
export const PROMPT_LUFS = -20;
export const NARROW_RATE = 8000;
export const WIDE_RATE = 16000;
/** How much more gain than the wide version the narrow one may get for the missing upper band. In dB. */
const NARROW_EXTRA_DB = 6;

/**
 * Converts any WAV or MP3 file to audio that every engine can play. The format is detected from the content, not the
 * file name. CPU-intensive: see `AudioConverter`.
 * @throws MediaError `not_audio`, `empty` or `too_large`
 */
export async function convert(request: ConvertRequest): Promise<Playable> {
  const { audio, loudness } = request;
  // A file is read here, so that only the thread that converts holds it.
  const bytes = 'file' in audio ? await readFile(audio.file) : audio;
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
    narrow: wavOf(pcmOf(narrow), NARROW_RATE),
    wide: wavOf(pcmOf(wide), WIDE_RATE),
    durationMs: Math.round((decoded.samples.length / decoded.sampleRate) * 1000),
  };
}

async function decode(bytes: Uint8Array, limits: DecodeLimits): Promise<Decoded> {
  if (isWav(bytes)) return decodeWav(bytes, limits);
  if (isMp3(bytes)) return decodeMp3(bytes, limits);
  throw new MediaError('not_audio', 'the file is neither WAV nor MP3');
}

function pcmOf(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32767));
}
