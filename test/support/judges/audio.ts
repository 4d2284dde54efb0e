/**
 * Measures and generates audio in tests: what a phone heard is judged by energy and by tones, never by file size.
 * Levels are in dBFS (0 = a full-scale square wave), times in seconds.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Audio {
  readonly sampleRate: number;
  /** Mono, -1 to 1. */
  readonly samples: Float64Array;
  readonly seconds: number;
}

const FRAME_SECONDS = 0.02;
/** Quieter than this is silence: comfort noise and µ-law's idle pattern stay below. */
export const SILENCE_DB = -45;

export function audioOf(samples: Float64Array, sampleRate: number): Audio {
  return { sampleRate, samples, seconds: samples.length / sampleRate };
}

/**
 * Reads 16-bit PCM wav and averages its channels. A recording that is still being written has no sizes in its header;
 * it is read up to its current end.
 */
export function readWav(source: string | Uint8Array): Audio {
  const channels = readChannels(source);
  const [first = audioOf(new Float64Array(0), 8000)] = channels;
  if (channels.length < 2) return first;
  const mean = first.samples.map(
    (_, i) => channels.reduce((sum, { samples }) => sum + (samples[i] ?? 0), 0) / channels.length,
  );
  return audioOf(mean, first.sampleRate);
}

/** Like {@link readWav}, but returns each channel separately. */
export function readChannels(source: string | Uint8Array): readonly Audio[] {
  const bytes = typeof source === 'string' ? readFileSync(source) : Buffer.from(source);
  if (bytes.length < 12) return [];
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') {
    throw new Error('Not a RIFF/WAVE file');
  }
  let channels = 1;
  let sampleRate = 8000;
  for (let at = 12; at + 8 <= bytes.length;) {
    const id = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const body = at + 8;
    if (id === 'fmt ') {
      const [format, bits] = [bytes.readUInt16LE(body), bytes.readUInt16LE(body + 14)];
      if ((format !== 1 && format !== 0xfffe) || bits !== 16) throw new Error(`Not 16-bit PCM: ${format}/${bits}`);
      channels = bytes.readUInt16LE(body + 2);
      sampleRate = bytes.readUInt32LE(body + 4);
    } else if (id === 'data') {
      const end = size === 0 || body + size > bytes.length ? bytes.length : body + size;
      return Array.from({ length: channels }, (_, channel) =>
        audioOf(decode(bytes, body, end, channels, channel), sampleRate),
      );
    }
    at = body + size + (size & 1);
  }
  return [];
}

function decode(bytes: Buffer, start: number, end: number, channels: number, channel: number): Float64Array {
  const samples = new Float64Array(Math.floor((end - start) / (2 * channels)));
  for (let i = 0; i < samples.length; i++) samples[i] = bytes.readInt16LE(start + 2 * (i * channels + channel)) / 32768;
  return samples;
}

/** Joins the parts in order; all must have the same sample rate. */
export function concat(parts: readonly Audio[]): Audio {
  const sampleRate = parts[0]?.sampleRate ?? 8000;
  const samples = new Float64Array(parts.reduce((sum, part) => sum + part.samples.length, 0));
  let at = 0;
  for (const part of parts) {
    samples.set(part.samples, at);
    at += part.samples.length;
  }
  return audioOf(samples, sampleRate);
}

export function slice(audio: Audio, fromSeconds: number, toSeconds = audio.seconds): Audio {
  const rate = audio.sampleRate;
  return audioOf(audio.samples.subarray(Math.round(fromSeconds * rate), Math.round(toSeconds * rate)), rate);
}

/** The level of all samples; -Infinity for no samples or digital silence. */
export function rmsDb(audio: Audio): number {
  return 10 * Math.log10(power(audio.samples));
}

export function peak(audio: Audio): number {
  return audio.samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
}

function power(samples: Float64Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return samples.length === 0 ? 0 : sum / samples.length;
}

/**
 * The share of a tone of `hz` in the energy, 0 to 1 (Goertzel). Only for short pieces: in a long one a small frequency
 * error has its full effect. Use {@link toneSeconds} for a recording.
 */
export function toneShare(audio: Audio, hz: number): number {
  return goertzel(audio.samples, audio.sampleRate, hz);
}

function goertzel(samples: Float64Array, sampleRate: number, hz: number): number {
  const total = power(samples) * samples.length;
  if (total === 0) return 0;
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / sampleRate);
  let [s1, s2] = [0, 0];
  for (const sample of samples) [s1, s2] = [sample + coefficient * s1 - s2, s1];
  const magnitude = s1 * s1 + s2 * s2 - coefficient * s1 * s2;
  return Math.min(1, (2 * magnitude) / (samples.length * total));
}

function* frames(audio: Audio, frameSeconds = FRAME_SECONDS): Generator<Float64Array> {
  const length = Math.round(audio.sampleRate * frameSeconds);
  for (let at = 0; at + length <= audio.samples.length; at += length) yield audio.samples.subarray(at, at + length);
}

function isLoud(frame: Float64Array): boolean {
  return 10 * Math.log10(power(frame)) > SILENCE_DB;
}

/** For how long a tone of `hz` was clear: loud, and at least `share` of the energy in a frame of 40 ms. */
export function toneSeconds(audio: Audio, hz: number, share = 0.8): number {
  const frameSeconds = 0.04;
  let count = 0;
  for (const frame of frames(audio, frameSeconds)) {
    if (isLoud(frame) && goertzel(frame, audio.sampleRate, hz) > share) count++;
  }
  return count * frameSeconds;
}

/**
 * When a tone of `hz` begins: the first moment from which it is clear for a fifth of a second.
 * @param fromSeconds earlier audio is left out
 * @returns seconds from the beginning of the audio; NaN without such a tone
 */
export function toneBegins(audio: Audio, hz: number, fromSeconds = 0): number {
  const clear = 0.2;
  for (let at = fromSeconds; at + clear <= audio.seconds; at += 0.04) {
    if (toneSeconds(slice(audio, at, at + clear), hz) > clear - 0.01) return at;
  }
  return Number.NaN;
}

/** For how long the audio was louder than silence. */
export function loudSeconds(audio: Audio): number {
  let count = 0;
  for (const frame of frames(audio)) if (isLoud(frame)) count++;
  return count * FRAME_SECONDS;
}

/** The longest run of silence, including the start and the end. */
export function longestSilenceSeconds(audio: Audio): number {
  let [longest, run] = [0, 0];
  for (const frame of frames(audio)) {
    run = isLoud(frame) ? 0 : run + 1;
    longest = Math.max(longest, run);
  }
  return longest * FRAME_SECONDS;
}

/** Loud for at least 0.3 s with the varying level of speech; a steady tone, noise or silence is not speech. */
export function hasSpeech(audio: Audio): boolean {
  const levels = [...frames(audio)].filter(isLoud).map((frame) => Math.sqrt(power(frame)));
  if (levels.length * FRAME_SECONDS < 0.3) return false;
  const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length;
  const variance = levels.reduce((sum, level) => sum + (level - mean) ** 2, 0) / levels.length;
  return Math.sqrt(variance) / mean > 0.25;
}

export interface ToneOptions {
  readonly hz: number;
  readonly seconds: number;
  readonly sampleRate?: number;
  /** Peak, 0 to 1; 0.25 by default. */
  readonly level?: number;
  readonly channels?: number;
}

/** A sine as 16-bit PCM wav. */
export function toneWav({ hz, seconds, sampleRate = 8000, level = 0.25, channels = 1 }: ToneOptions): Buffer {
  const samples = Float64Array.from({ length: Math.round(seconds * sampleRate) }, (_, i) => {
    return level * Math.sin((2 * Math.PI * hz * i) / sampleRate);
  });
  return wavOf(samples, sampleRate, channels);
}

/** 16-bit PCM wav with the same samples on each channel. */
export function wavOf(samples: Float64Array, sampleRate: number, channels = 1): Buffer {
  const dataBytes = samples.length * 2 * channels;
  const wav = Buffer.alloc(44 + dataBytes);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(36 + dataBytes, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(channels, 22);
  wav.writeUInt32LE(sampleRate, 24);
  wav.writeUInt32LE(sampleRate * 2 * channels, 28);
  wav.writeUInt16LE(2 * channels, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(dataBytes, 40);
  samples.forEach((sample, i) => {
    const value = Math.round(Math.max(-1, Math.min(1, sample)) * 32767);
    for (let c = 0; c < channels; c++) wav.writeInt16LE(value, 44 + 2 * (i * channels + c));
  });
  return wav;
}

/** Writes the tone; other processes may write the same file at the same time. @returns the path */
export function writeTone(file: string, options: ToneOptions): string {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, toneWav(options));
  renameSync(temporary, file);
  return file;
}
