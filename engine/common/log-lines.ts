import { open, rename, stat } from 'node:fs/promises';
import { hasCode } from '../../core/model/error-code.js';

const CHUNK_BYTES = 256 * 1024;
/** The maximum amount to read. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Two files of this size hold the ends of some tens of thousands of calls: more than end while the application is down. */
const LIMIT_BYTES = 64 * 1024 * 1024;
const LF = 0x0a;

/**
 * Yields the lines of an append-only log, newest first, then those of its rotated predecessor (`.1`). Reads in chunks,
 * only as far as the consumer iterates, and at most `maxBytes`. Skips an incomplete last line. A missing file has no lines.
 */
export async function* readLinesBackwards(path: string, maxBytes = MAX_BYTES): AsyncGenerator<string> {
  let left = maxBytes;
  for (const name of [path, `${path}.1`]) {
    for await (const { line, bytes } of linesOf(name, left)) {
      left -= bytes;
      yield line;
    }
  }
}

/** Rotates the file if it exceeds the limit. @returns whether it did */
export async function rotate(path: string, limitBytes = LIMIT_BYTES): Promise<boolean> {
  const isFull = await existsWith(path, (size) => size > limitBytes);
  if (isFull) await rename(path, `${path}.1`);
  return isFull;
}

/** Whether a rotated file exists, so that older lines may be missing from the log. */
export function hasRotatedFile(path: string): Promise<boolean> {
  return existsWith(`${path}.1`, () => true);
}

async function* linesOf(path: string, maxBytes: number): AsyncGenerator<{ line: string; bytes: number }> {
  if (!(await existsWith(path, (size) => size > 0))) return;
  const file = await open(path, 'r');
  try {
    let position = (await file.stat()).size;
    const lowest = Math.max(0, position - maxBytes);
    let rest = Buffer.alloc(0);
    let isComplete = false;
    while (position > lowest) {
      const length = Math.min(CHUNK_BYTES, position - lowest);
      position -= length;
      const chunk = Buffer.alloc(length);
      await file.read(chunk, 0, length, position);
      rest = Buffer.concat([chunk, rest]);
      for (let end = rest.lastIndexOf(LF); end >= 0; end = rest.lastIndexOf(LF)) {
        const text = rest.toString('utf8', end + 1);
        if (isComplete) yield { line: text, bytes: rest.length - end };
        isComplete = true;
        rest = rest.subarray(0, end);
      }
    }
    if (isComplete && lowest === 0) yield { line: rest.toString('utf8'), bytes: rest.length };
  } finally {
    await file.close();
  }
}

async function existsWith(path: string, fits: (size: number) => boolean): Promise<boolean> {
  try {
    return fits((await stat(path)).size);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
