import { open, rename, stat } from 'node:fs/promises';
import { hasCode } from '../../../core/model/error-code.js';

const CHUNK_BYTES = 256 * 1024;
const LF = 0x0a;

/**
 * The lines of a log that only grows, newest first: of the file, then of the one that was put aside before it (`.1`). Reads piece by piece,
 * as far as its reader goes, and `maxBytes` at most. A last line that is not written whole is left out; a missing file has no lines.
 */
export async function* linesBackwards(path: string, maxBytes: number): AsyncGenerator<string> {
  let left = maxBytes;
  for (const name of [path, `${path}.1`]) {
    for await (const { line, bytes } of linesOf(name, left)) {
      left -= bytes;
      yield line;
    }
  }
}

/** Puts a file aside that has grown beyond the limit; Asterisk opens its log for each line, so it begins a new one. */
export async function putAside(path: string, limitBytes: number): Promise<void> {
  if (await isThere(path, (size) => size > limitBytes)) await rename(path, `${path}.1`);
}

/** Whether there is, or was, something before the file. */
export function wasPutAside(path: string): Promise<boolean> {
  return isThere(`${path}.1`, () => true);
}

async function* linesOf(path: string, maxBytes: number): AsyncGenerator<{ line: string; bytes: number }> {
  if (!(await isThere(path, (size) => size > 0))) return;
  const file = await open(path, 'r');
  try {
    let position = (await file.stat()).size;
    const lowest = Math.max(0, position - maxBytes);
    let rest = Buffer.alloc(0);
    let isWhole = false;
    while (position > lowest) {
      const length = Math.min(CHUNK_BYTES, position - lowest);
      position -= length;
      const chunk = Buffer.alloc(length);
      await file.read(chunk, 0, length, position);
      rest = Buffer.concat([chunk, rest]);
      for (let end = rest.lastIndexOf(LF); end >= 0; end = rest.lastIndexOf(LF)) {
        const text = rest.toString('utf8', end + 1);
        if (isWhole) yield { line: text, bytes: rest.length - end };
        isWhole = true;
        rest = rest.subarray(0, end);
      }
    }
    if (isWhole && lowest === 0) yield { line: rest.toString('utf8'), bytes: rest.length };
  } finally {
    await file.close();
  }
}

async function isThere(path: string, fits: (size: number) => boolean): Promise<boolean> {
  try {
    return fits((await stat(path)).size);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
