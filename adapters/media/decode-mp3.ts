import { MPEGDecoder } from 'mpg123-decoder';
import { MediaError } from '../../core/ports/media-store.js';
import { tooLong } from './decode-wav.js';
import { decodedOf, type Decoded, type DecodeLimits } from './decoded.js';

/** Fed in pieces, so that a small file that unfolds into hours is stopped on its way. */
const PIECE_BYTES = 32 * 1024;
/** How far behind the tags the first frame may begin. */
const SEARCH_BYTES = 64 * 1024;

const SAMPLE_RATES = [44100, 48000, 32000];
const BITRATES_V1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_V2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

interface Frame {
  readonly bytes: number;
  readonly sampleRate: number;
}

/** ISO/IEC 11172-3 §2.4: two frames of layer III behind one another, after an ID3v2 tag if there is one. */
export function isMp3(bytes: Uint8Array): boolean {
  const start = afterTag(bytes);
  const end = Math.min(bytes.length, start + SEARCH_BYTES);
  for (let at = start; at < end; at++) {
    const first = frameAt(bytes, at);
    const second = first && frameAt(bytes, at + first.bytes);
    if (second?.sampleRate === first?.sampleRate && second) return true;
  }
  return false;
}

/** @throws MediaError `not_audio`, `empty` or `too_large`. */
export async function decodeMp3(bytes: Uint8Array, limits: DecodeLimits): Promise<Decoded> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    return decodeWith(decoder, bytes.subarray(afterTag(bytes)), limits);
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

/** ID3v2.4 §3.1: the length is written in four groups of seven bits. */
function afterTag(bytes: Uint8Array): number {
  const isTag = bytes.length > 10 && bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33;
  if (!isTag) return 0;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, 10);
  const footer = ((bytes[5] ?? 0) & 0x10) === 0 ? 0 : 10;
  return 10 + (((a & 0x7f) << 21) | ((b & 0x7f) << 14) | ((c & 0x7f) << 7) | (d & 0x7f)) + footer;
}

/** The header of a frame of layer III, or null. */
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
