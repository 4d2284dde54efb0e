import type { FileHandle } from 'node:fs/promises';
import { decodeLine, type Line } from './line.js';

export interface PlacedLine {
  /** Null if the line is damaged. */
  readonly line: Line | null;
  /** The offset of the next line. */
  readonly end: number;
}

const CHUNK_BYTES = 256 * 1024;
const LF = 0x0a;

/** Yields the lines from `from` to `to`, reading in chunks. Skips a torn last line, which has no line feed. */
export async function* readLines(file: FileHandle, from: number, to: number): AsyncGenerator<PlacedLine> {
  let rest = Buffer.alloc(0);
  let position = from;
  let start = from;
  while (position < to) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, to - position));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let begin = 0;
    for (let end = rest.indexOf(LF); end >= 0; end = rest.indexOf(LF, begin)) {
      const text = rest.toString('utf8', begin, end);
      begin = end + 1;
      // An empty line terminates a torn one.
      if (text !== '') yield { line: decodeLine(text), end: start + begin };
    }
    rest = rest.subarray(begin);
    start += begin;
  }
}
