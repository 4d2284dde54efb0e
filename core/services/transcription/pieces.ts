import type { Readable } from 'node:stream';

/** A stretch of a recording, short enough for any engine. */
export interface Piece {
  readonly startMs: number;
  readonly sampleRate: number;
  /** The samples of each channel. */
  readonly channels: readonly Int16Array[];
}

export class UnreadableAudio extends Error {
  override readonly name = 'UnreadableAudio';
}

interface Form {
  readonly channels: number;
  readonly sampleRate: number;
  readonly frameBytes: number;
}

/** Recordings are kept with the plainest header: it is of our own making. */
const HEADER_BYTES = 44;
const SAMPLE_BYTES = 2;
const PIECE_SECONDS = 600;
/** A piece ends at the quietest moment of its end, so that no word is cut. */
const [CUT_SECONDS, QUIET_SECONDS] = [30, 0.2];

/**
 * A kept recording as it comes from its storage, piece by piece: a call of hours is never in memory whole.
 * @throws UnreadableAudio
 */
export async function* piecesOf(wav: Readable, pieceSeconds = PIECE_SECONDS): AsyncGenerator<Piece> {
  const reader = new Reader(wav);
  try {
    const form = formOf(await reader.read(HEADER_BYTES));
    const pieceBytes = pieceSeconds * form.sampleRate * form.frameBytes;
    let [rest, frames] = [Buffer.alloc(0), 0];
    for (let isLast = false; !isLast;) {
      const got = await reader.read(pieceBytes - rest.length);
      isLast = rest.length + got.length < pieceBytes;
      const whole = Buffer.concat([rest, got]);
      const count = isLast ? Math.floor(whole.length / form.frameBytes) : cutIn(whole, form);
      if (count === 0) return;
      yield {
        startMs: Math.round((frames / form.sampleRate) * 1000),
        sampleRate: form.sampleRate,
        channels: split(whole, count, form),
      };
      frames += count;
      rest = whole.subarray(count * form.frameBytes);
    }
  } finally {
    wav.destroy();
  }
}

/** Bytes of a stream in the sizes that are asked for. */
class Reader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  /** Fewer only at the end. */
  async read(size: number): Promise<Buffer> {
    const parts = [this.#held];
    let bytes = this.#held.length;
    while (bytes < size) {
      const next = await this.#chunks.next();
      if (next.done === true) break;
      parts.push(next.value);
      bytes += next.value.length;
    }
    const whole = Buffer.concat(parts);
    this.#held = whole.subarray(size);
    return whole.subarray(0, size);
  }
}

function formOf(head: Buffer): Form {
  const text = (at: number): string => head.toString('latin1', at, at + 4);
  if (head.length < HEADER_BYTES || text(0) !== 'RIFF' || text(8) !== 'WAVE' || text(36) !== 'data') {
    throw new UnreadableAudio('the recording is no plain wav file');
  }
  const [channels, sampleRate, bits] = [head.readUInt16LE(22), head.readUInt32LE(24), head.readUInt16LE(34)];
  if (channels < 1 || channels > 2 || sampleRate < 4000 || bits !== 16) {
    throw new UnreadableAudio('the recording has a format that nobody expects');
  }
  return { channels, sampleRate, frameBytes: channels * SAMPLE_BYTES };
}

/** How many frames come before the quietest moment near the end. */
function cutIn(bytes: Buffer, { sampleRate, frameBytes, channels }: Form): number {
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

function split(bytes: Buffer, frames: number, { channels }: Form): readonly Int16Array[] {
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Int16Array(frames);
    for (let i = 0; i < frames; i++) samples[i] = bytes.readInt16LE((i * channels + channel) * SAMPLE_BYTES);
    return samples;
  });
}
