import { MediaError } from '../../core/ports/media-store.js';

/** More chunks than any program writes. Walking through millions of empty chunks would be an attack. */
const MAX_CHUNKS = 256;
/**
 * Programs that write to a pipe do not know the length in advance and write a very large one (ffmpeg, espeak-ng, sox):
 * from this size on, it means "until the end".
 */
const PIPED = 0x7f000000;
const HEAD = 12;

interface Chunk {
  readonly id: string;
  readonly body: Uint8Array;
}

/**
 * Returns a WAV file with only the format and data chunks of this one: decoders never see lists, cue points and other
 * chunks, whose counts may be wrong.
 * @throws MediaError `not_audio` for a file that is truncated, has trailing data, or has no format
 */
export function essentialWav(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const declared = view.getUint32(4, true);
  const end = declared >= PIPED ? bytes.length : HEAD - 4 + declared;
  if (end > bytes.length) throw damaged('the WAV file is truncated');
  // A pad byte or trailing zeros are harmless.
  if (bytes.subarray(end).some((byte) => byte !== 0)) throw damaged('the WAV file has trailing data');
  const chunks = [...chunksOf(bytes.subarray(0, end), view)];
  const format = chunks.find(({ id }) => id === 'fmt ');
  const data = chunks.find(({ id }) => id === 'data');
  if (!format || !data || format.body.length < 16) throw damaged('the WAV file is damaged');
  return riffOf([format, data]);
}

function* chunksOf(bytes: Uint8Array, view: DataView): Generator<Chunk> {
  let count = 0;
  for (let at = HEAD; at + 8 <= bytes.length;) {
    if (++count > MAX_CHUNKS) throw damaged('the WAV file has too many chunks');
    const id = String.fromCharCode(...bytes.subarray(at, at + 4));
    const size = view.getUint32(at + 4, true);
    const room = bytes.length - at - 8;
    if (size > room && size < PIPED) throw damaged('the WAV file is truncated');
    yield { id, body: bytes.subarray(at + 8, at + 8 + Math.min(size, room)) };
    at += 8 + size + (size & 1);
  }
}

function riffOf(chunks: readonly Chunk[]): Uint8Array {
  const padded = chunks.map(({ body }) => body.length + (body.length & 1));
  const wav = new Uint8Array(HEAD + padded.reduce((sum, size) => sum + 8 + size, 0));
  const view = new DataView(wav.buffer);
  const name = (at: number, text: string): void => wav.set(Buffer.from(text, 'latin1'), at);
  name(0, 'RIFF');
  view.setUint32(4, wav.length - 8, true);
  name(8, 'WAVE');
  let at = HEAD;
  chunks.forEach(({ id, body }, index) => {
    name(at, id);
    view.setUint32(at + 4, body.length, true);
    wav.set(body, at + 8);
    at += 8 + (padded[index] ?? 0);
  });
  return wav;
}

function damaged(message: string): MediaError {
  return new MediaError('not_audio', message);
}
