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
  /** Can be read once, before the next member is requested; an unread rest is skipped. */
  readonly content: AsyncIterable<Buffer>;
}

/** Far above the size of any real checksum table, so that an untrusted file cannot exhaust memory. */
const MAX_CHECKSUM_BYTES = 256 * 1024 * 1024;

/**
 * Yields the members of an archive in order. Their content is trustworthy only after the iteration has ended without an
 * error, because the checksums are compared at the end.
 * @throws ArchiveError; file system errors of the file itself (ENOENT …)
 */
export async function* readArchive(file: string): AsyncGenerator<ArchiveMember> {
  const found = new Map<string, { bytes: number; sha256: string }>();
  let declared: Checksums | null = null;
  const tar = extract();
  const source = createReadStream(file);
  const piped = pipeline(source, createGunzip(), tar);
  piped.catch(() => undefined);
  try {
    for await (const entry of tar as AsyncIterable<Entry>) {
      const { name, size = 0, mode = 0o600 } = entry.header;
      if (entry.header.type !== 'file') throw new ArchiveError(`"${name}" is not a regular file`);
      if (declared !== null) throw new ArchiveError('there are members after the checksums');
      if (found.has(name)) throw new ArchiveError(`"${name}" occurs twice`);
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
        declared = parseChecksums(await readMember(content, MAX_CHECKSUM_BYTES));
        continue;
      }
      yield { name, bytes: size, mode, content };
      // Members that the caller skips are hashed as well.
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
  compare(found, declared);
}

async function drain(content: AsyncIterator<Buffer>): Promise<void> {
  while (!(await content.next()).done);
}

/** Reads a small member completely. @throws ArchiveError if it exceeds the limit */
export async function readMember(content: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > limit) throw new ArchiveError('a member exceeds its size limit');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function parseChecksums(bytes: Buffer): Checksums {
  try {
    const read = JSON.parse(bytes.toString('utf8')) as Partial<Checksums> | null;
    if (typeof read?.members === 'object') return read as Checksums;
  } catch {
    // Reported below.
  }
  throw new ArchiveError('its checksums are unreadable');
}

function compare(found: ReadonlyMap<string, { bytes: number; sha256: string }>, declared: Checksums | null): void {
  if (declared === null) throw new ArchiveError('its end is missing');
  const names = Object.keys(declared.members);
  const missing = names.find((name) => !found.has(name));
  if (missing !== undefined) throw new ArchiveError(`"${missing}" is missing`);
  for (const [name, { bytes, sha256 }] of found) {
    const wanted = declared.members[name];
    if (wanted?.bytes !== bytes || wanted.sha256 !== sha256)
      throw new ArchiveError(`"${name}" does not match its checksum`);
  }
}

/** Converts errors of zlib (Z_DATA_ERROR, Z_BUF_ERROR …) and of tar-stream, which have no code. */
function asArchiveError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ArchiveError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const isArchiveFault =
    code.startsWith('Z_') || code.startsWith('ERR_STREAM') || /tar|Unexpected end of data/i.test(error.message);
  return isArchiveFault ? new ArchiveError(`it is damaged or truncated (${error.message})`, { cause: error }) : error;
}
