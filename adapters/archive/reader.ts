import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { finished, pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Entry } from 'tar-stream';
import { ArchiveError, CHECKSUMS, type Checksums } from './checksums.js';

export interface ArchiveMember {
  readonly name: string;
  readonly bytes: number;
  readonly mode: number;
  /** To be read once, and before the next member is asked for; what is left of it is passed over. */
  readonly content: AsyncIterable<Buffer>;
}

/** Far above what the table of checksums takes; a stranger's file must not fill the memory. */
const MOST_CHECKSUM_BYTES = 256 * 1024 * 1024;

/**
 * The members of an archive, in order. What was read counts only once the iteration has ended without an error: the checksums are compared
 * at the end.
 * @throws ArchiveError; what the file system says of the file itself (ENOENT …)
 */
export async function* readArchive(file: string): AsyncGenerator<ArchiveMember> {
  const found = new Map<string, { bytes: number; sha256: string }>();
  let told: Checksums | null = null;
  const tar = extract();
  const source = createReadStream(file);
  const piped = pipeline(source, createGunzip(), tar);
  piped.catch(() => undefined);
  try {
    for await (const entry of tar as AsyncIterable<Entry>) {
      const { name, size = 0, mode = 0o600 } = entry.header;
      if (entry.header.type !== 'file') throw new ArchiveError(`"${name}" is not a plain file`);
      if (told !== null) throw new ArchiveError('something follows the checksums');
      if (found.has(name)) throw new ArchiveError(`"${name}" stands in it twice`);
      const hash = createHash('sha256');
      let bytes = 0;
      const content = (async function* (): AsyncGenerator<Buffer> {
        try {
          for await (const piece of entry as AsyncIterable<Buffer>) {
            hash.update(piece);
            bytes += piece.length;
            yield piece;
          }
        } catch (error) {
          throw asArchiveError(error);
        }
      })();
      if (name === CHECKSUMS) {
        told = parseChecksums(await wholeOf(content, MOST_CHECKSUM_BYTES));
        continue;
      }
      yield { name, bytes: size, mode, content };
      // A member of which the caller wanted nothing is hashed all the same.
      await drain(content);
      found.set(name, { bytes, sha256: hash.digest('hex') });
    }
    await piped;
  } catch (error) {
    throw asArchiveError(error);
  } finally {
    source.destroy();
    tar.destroy();
    await finished(source).catch(() => undefined);
  }
  compare(found, told);
}

async function drain(content: AsyncIterator<Buffer>): Promise<void> {
  while (!(await content.next()).done);
}

/** A small member as a whole. @throws ArchiveError beyond the limit */
export async function wholeOf(content: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > limit) throw new ArchiveError('a member is larger than it can be');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function parseChecksums(bytes: Buffer): Checksums {
  try {
    const read = JSON.parse(bytes.toString('utf8')) as Partial<Checksums> | null;
    if (typeof read?.members === 'object') return read as Checksums;
  } catch {
    // Said below.
  }
  throw new ArchiveError('its checksums cannot be read');
}

function compare(found: ReadonlyMap<string, { bytes: number; sha256: string }>, told: Checksums | null): void {
  if (told === null) throw new ArchiveError('its end is missing');
  const names = Object.keys(told.members);
  const missing = names.find((name) => !found.has(name));
  if (missing !== undefined) throw new ArchiveError(`"${missing}" is missing`);
  for (const [name, { bytes, sha256 }] of found) {
    const wanted = told.members[name];
    if (wanted?.bytes !== bytes || wanted.sha256 !== sha256) throw new ArchiveError(`"${name}" was changed`);
  }
}

/** zlib's codes (Z_DATA_ERROR, Z_BUF_ERROR …) and tar-stream's own words, which carry no code. */
function asArchiveError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ArchiveError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const isItsFault =
    code.startsWith('Z_') || code.startsWith('ERR_STREAM') || /tar|Unexpected end of data/i.test(error.message);
  return isItsFault ? new ArchiveError(`it is damaged or cut off (${error.message})`, { cause: error }) : error;
}
