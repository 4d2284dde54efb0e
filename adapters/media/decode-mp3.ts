import { MPEGDecoder } from 'mpg123-decoder';
import { MediaError } from '../../core/ports/media-store.js';
import { tooLong } from './decode-wav.js';
import { decodedOf, type Decoded, type DecodeLimits } from './decoded.js';

/** Decoded in pieces, so that a small file that expands to hours is stopped early. */
const PIECE_BYTES = 32 * 1024;
/** Allows for a truncated frame or a few damaged ones. */
const MAX_STRANGE_BYTES = 4096;
const ID3V1_BYTES = 128;
const TAG_INITIALS: ReadonlySet<number> = new Set(Buffer.from('TAI'));

const SAMPLE_RATES = [44100, 48000, 32000];
const BITRATES_V1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_V2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

interface Frame {
  readonly bytes: number;
  readonly sampleRate: number;
}

/** ISO/IEC 11172-3 §2.4: two consecutive layer III frames at the start or after an ID3v2 tag. */
export function isMp3(bytes: Uint8Array): boolean {
  let at = afterTag(bytes, 0);
  while (bytes[at] === 0) at++;
  const first = frameAt(bytes, at);
  const second = first && frameAt(bytes, at + first.bytes);
  return second?.sampleRate === first?.sampleRate && second !== null;
}

/**
 * Decoders skip bytes that are not frames, so a file could hide another file or keep a decoder busy.
 * @throws MediaError `not_audio` for more non-frame bytes than damage explains
 */
function assertFrames(bytes: Uint8Array): void {
  let strange = 0;
  for (let at = 0; at < bytes.length;) {
    const next = Math.max(afterTag(bytes, at), frameEnd(bytes, at));
    if (next === at && bytes[at] !== 0 && ++strange > MAX_STRANGE_BYTES) {
      throw new MediaError('not_audio', 'the MP3 file is damaged');
    }
    at = Math.max(next, at + 1);
  }
}

function frameEnd(bytes: Uint8Array, at: number): number {
  return at + (frameAt(bytes, at)?.bytes ?? 0);
}

/** @throws MediaError `not_audio`, `empty` or `too_large` */
export async function decodeMp3(bytes: Uint8Array, limits: DecodeLimits): Promise<Decoded> {
  assertFrames(bytes);
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    return decodeWith(decoder, bytes.subarray(afterTag(bytes, 0)), limits);
  } finally {
    decoder.free();
  }
}

function decodeWith(decoder: MPEGDecoder, bytes: Uint8Array, limits: DecodeLimits): Decoded {
  const pieces: Float32Array[] = [];
  let [length, sampleRate] = [0, 0];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const decoded = decoder.decode(bytes.subarray(at, at + PIECE_BYTES));
    if (decoded.samplesDecoded === 0) continue;
    if (sampleRate !== 0 && decoded.sampleRate !== sampleRate) {
      throw new MediaError('not_audio', 'the MP3 file changes its sample rate');
    }
    ({ sampleRate } = decoded);
    const piece = mono(decoded.channelData, decoded.samplesDecoded);
    pieces.push(piece);
    length += piece.length;
    if (length / sampleRate > limits.maxSeconds) throw tooLong(limits);
  }
  if (length === 0 || sampleRate === 0) throw new MediaError('not_audio', 'the MP3 file is damaged');
  const samples = new Float32Array(length);
  let at = 0;
  for (const piece of pieces) {
    samples.set(piece, at);
    at += piece.length;
  }
  return decodedOf(samples, sampleRate);
}

function mono(channels: readonly Float32Array[], length: number): Float32Array {
  const mixed = new Float32Array(length);
  for (const channel of channels) {
    for (let i = 0; i < length; i++) mixed[i] = (mixed[i] ?? 0) + (channel[i] ?? 0) / channels.length;
  }
  return mixed;
}

/**
 * Returns the end of a tag that begins at `at`, or `at` if there is none: ID3v2 (its length has four groups of seven
 * bits), ID3v1, APE.
 */
function afterTag(bytes: Uint8Array, at: number): number {
  // Fast path: almost no byte begins a tag.
  if (!TAG_INITIALS.has(bytes[at] ?? 0)) return at;
  const name = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(8, bytes.length - at)).toString('latin1');
  if (name.startsWith('TAG') && at + ID3V1_BYTES === bytes.length) return bytes.length;
  if (name === 'APETAGEX' && at + 32 <= bytes.length) {
    return at + 32 + new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(12, true);
  }
  if (!name.startsWith('ID3') || at + 10 > bytes.length) return at;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at + 6, at + 10);
  const footer = ((bytes[at + 5] ?? 0) & 0x10) === 0 ? 0 : 10;
  return at + 10 + (((a & 0x7f) << 21) | ((b & 0x7f) << 14) | ((c & 0x7f) << 7) | (d & 0x7f)) + footer;
}

/** Parses a layer III frame header; null if there is none. */
function frameAt(bytes: Uint8Array, at: number): Frame | null {
  const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
  const version = (b >> 3) & 3;
  const isHeader = a === 0xff && (b & 0xe0) === 0xe0 && version !== 1 && ((b >> 1) & 3) === 1;
  if (!isHeader) return null;
  const isV1 = version === 3;
  const kilobits = (isV1 ? BITRATES_V1 : BITRATES_V2)[c >> 4];
  const base = SAMPLE_RATES[(c >> 2) & 3];
  if (!kilobits || !base) return null;
  const sampleRate = base / (isV1 ? 1 : version === 2 ? 2 : 4);
  const padding = (c >> 1) & 1;
  return { sampleRate, bytes: Math.floor(((isV1 ? 144 : 72) * kilobits * 1000) / sampleRate) + padding };
}
