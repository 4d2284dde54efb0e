import type { Readable } from 'node:stream';

/** A section of a recording, short enough for any engine. */
export interface Piece {
  readonly startMs: number;
  readonly sampleRate: number;
  /** The samples of each channel. */
  readonly channels: readonly Int16Array[];
}

export class UnreadableAudioError extends Error {
  override readonly name = 'UnreadableAudioError';
}

interface Format {
  readonly channels: number;
  readonly sampleRate: number;
  readonly frameBytes: number;
}

/** Stored recordings have the minimal WAV header that this platform writes. */
const HEADER_BYTES = 44;
const SAMPLE_BYTES = 2;
const PIECE_SECONDS = 600;
/** A piece is cut at the quietest moment near its end, so that no word is split. */
const [CUT_SECONDS, QUIET_SECONDS] = [30, 0.2];

/**
 * Reads a stored recording from its storage piece by piece, so that a call of several hours is never in memory as a
 * whole.
 * @throws UnreadableAudioError
 */
export async function* piecesOf(wav: Readable, pieceSeconds = PIECE_SECONDS): AsyncGenerator<Piece> {
  const reader = new Reader(wav);
  try {
    const format = parseHeader(await reader.read(HEADER_BYTES));
    const pieceBytes = pieceSeconds * format.sampleRate * format.frameBytes;
    let [rest, frames] = [Buffer.alloc(0), 0];
    for (let isLast = false; !isLast;) {
      const block = await reader.read(pieceBytes - rest.length);
      isLast = rest.length + block.length < pieceBytes;
      const whole = Buffer.concat([rest, block]);
      const count = isLast ? Math.floor(whole.length / format.frameBytes) : findCut(whole, format);
      if (count === 0) return;
      yield {
        startMs: Math.round((frames / format.sampleRate) * 1000),
        sampleRate: format.sampleRate,
        channels: split(whole, count, format),
      };
      frames += count;
      rest = whole.subarray(count * format.frameBytes);
    }
  } finally {
    wav.destroy();
  }
}

/** Reads a stream in blocks of requested sizes. */
class Reader {
  readonly #chunks: AsyncIterator<Buffer>;
  #buffered: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  /** Returns fewer bytes only at the end of the stream. */
  async read(size: number): Promise<Buffer> {
    const parts = [this.#buffered];
    let bytes = this.#buffered.length;
    while (bytes < size) {
      const next = await this.#chunks.next();
      if (next.done === true) break;
      parts.push(next.value);
      bytes += next.value.length;
    }
    const whole = Buffer.concat(parts);
    this.#buffered = whole.subarray(size);
    return whole.subarray(0, size);
  }
}

function parseHeader(head: Buffer): Format {
  const text = (at: number): string => head.toString('latin1', at, at + 4);
  if (head.length < HEADER_BYTES || text(0) !== 'RIFF' || text(8) !== 'WAVE' || text(36) !== 'data') {
    throw new UnreadableAudioError('the recording is not a plain WAV file');
  }
  const [channels, sampleRate, bits] = [head.readUInt16LE(22), head.readUInt32LE(24), head.readUInt16LE(34)];
  if (channels < 1 || channels > 2 || sampleRate < 4000 || bits !== 16) {
    throw new UnreadableAudioError('the recording has an unexpected audio format');
  }
  return { channels, sampleRate, frameBytes: channels * SAMPLE_BYTES };
}

/** The number of frames before the quietest moment near the end. */
function findCut(bytes: Buffer, { sampleRate, frameBytes, channels }: Format): number {
  const frames = Math.floor(bytes.length / frameBytes);
  const window = Math.round(QUIET_SECONDS * sampleRate);
  const first = Math.max(Math.ceil(frames / 2), frames - CUT_SECONDS * sampleRate);
  let [best, quietest] = [frames, Infinity];
  for (let start = first; start + window <= frames; start += window) {
    let sum = 0;
    for (let i = start * channels; i < (start + window) * channels; i++) sum += Math.abs(bytes.readInt16LE(i * 2));
    if (sum < quietest) [best, quietest] = [start + Math.floor(window / 2), sum];
  }
  return best;
}

function split(bytes: Buffer, frames: number, { channels }: Format): readonly Int16Array[] {
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Int16Array(frames);
    for (let i = 0; i < frames; i++) samples[i] = bytes.readInt16LE((i * channels + channel) * SAMPLE_BYTES);
    return samples;
  });
}
