import { open, type FileHandle } from 'node:fs/promises';
import { RecordingAudioError, type CombinedAudio, type RecordingAudio } from '../../core/ports/recording-audio.js';
import { writeAtomically } from '../files/durable.js';
import { openTap, type WavTap } from './wav-tap.js';

const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;
const FULL_SCALE = 32_768;
/** Samples per tap and turn of the event loop: 32,000 are interleaved in well under a millisecond. */
const CHUNK_SAMPLES = 32_000;
/** A WAV file's sizes have 32 bits. */
const MAX_DATA_BYTES = 0xffff_ffff - HEADER_BYTES;

const NO_SOUND: WavTap = { handle: null, sampleRate: null, offset: 0, samples: 0 };

/** {@link RecordingAudio} within this process, with memory for one chunk per tap. */
export const recordingAudio: RecordingAudio = { combine: interleave };

/** Combines one or two mono WAV files into one, with a channel each. See {@link RecordingAudio.combine}. */
export async function interleave(
  taps: readonly (string | null)[],
  out: string,
  maxMs = Infinity,
): Promise<CombinedAudio> {
  if (taps.length < 1 || taps.length > 2) throw new RangeError('a recording has one or two channels');
  const opened: WavTap[] = [];
  try {
    for (const tap of taps) opened.push(tap === null ? NO_SOUND : await openTap(tap));
    return await writeAtomically(out, (part) => write(opened, part, maxMs));
  } catch (error) {
    if (error instanceof RecordingAudioError) throw error;
    throw new RecordingAudioError('unavailable', 'cannot write the recording', { cause: error });
  } finally {
    for (const { handle } of opened) await handle?.close();
  }
}

async function write(taps: readonly WavTap[], file: string, maxMs: number): Promise<CombinedAudio> {
  const sampleRate = commonRate(taps);
  const longest = Math.max(...taps.map((tap) => tap.samples));
  const samples = Math.min(longest, Math.round((maxMs * sampleRate) / 1000));
  const dataBytes = samples * taps.length * BYTES_PER_SAMPLE;
  if (dataBytes > MAX_DATA_BYTES) throw new RecordingAudioError('too_large', 'the recording is larger than 4 GiB');
  const target = await open(file, 'wx', 0o600);
  try {
    await target.writeFile(header(taps.length, sampleRate, dataBytes));
    const peak = await weave(taps, longest, samples, target);
    return { durationMs: Math.round((samples * 1000) / sampleRate), bytes: HEADER_BYTES + dataBytes, peak };
  } finally {
    await target.close();
  }
}

function commonRate(taps: readonly WavTap[]): number {
  const rates = new Set(taps.map((tap) => tap.sampleRate).filter((rate) => rate !== null));
  const [rate, other] = rates;
  if (rate === undefined) throw new RecordingAudioError('unreadable', 'the recorded files are empty');
  if (other !== undefined) throw new RecordingAudioError('unreadable', `sample rates differ: ${rate} and ${other} Hz`);
  return rate;
}

/** @returns the peak, relative to full scale */
async function weave(taps: readonly WavTap[], longest: number, samples: number, target: FileHandle): Promise<number> {
  let peak = 0;
  const inputs = taps.map(() => new Int16Array(CHUNK_SAMPLES));
  const output = new Int16Array(CHUNK_SAMPLES * taps.length);
  for (let at = 0; at < samples; at += CHUNK_SAMPLES) {
    const count = Math.min(CHUNK_SAMPLES, samples - at);
    await Promise.all(
      taps.map((tap, channel) => readSamples(tap, at - (longest - tap.samples), inputs[channel] ?? new Int16Array(0))),
    );
    inputs.forEach((input, channel) => {
      for (let i = 0, o = channel; i < count; i++, o += taps.length) {
        const sample = input[i] ?? 0;
        output[o] = sample;
        if (sample > peak || -sample > peak) peak = Math.abs(sample);
      }
    });
    // writeFile on an open handle continues at the current position.
    await target.writeFile(new Uint8Array(output.buffer, 0, count * taps.length * BYTES_PER_SAMPLE));
  }
  return peak / FULL_SCALE;
}

/** Fills `into` with the samples from `at`, which is negative before the tap's start; missing samples are silence. */
async function readSamples({ handle, offset, samples }: WavTap, at: number, into: Int16Array): Promise<void> {
  const bytes = new Uint8Array(into.buffer);
  const lead = Math.min(into.length, Math.max(0, -at)) * BYTES_PER_SAMPLE;
  const end = Math.max(0, Math.min(into.length, samples - at)) * BYTES_PER_SAMPLE;
  bytes.fill(0, 0, lead);
  let filled = lead;
  while (handle !== null && filled < end) {
    const position = offset + at * BYTES_PER_SAMPLE + filled;
    const { bytesRead } = await handle.read(bytes, filled, end - filled, position);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  bytes.fill(0, filled);
}

function header(channels: number, sampleRate: number, dataBytes: number): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * channels * BYTES_PER_SAMPLE, 28);
  head.writeUInt16LE(channels * BYTES_PER_SAMPLE, 32);
  head.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(dataBytes, 40);
  return head;
}
