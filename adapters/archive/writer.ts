import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { commitPart, partOf } from '../files/durable.js';
import { CHECKSUMS, type Checksums } from './checksums.js';

/** A fast level: recordings hardly compress. */
const GZIP_LEVEL = 3;
/** The archive contains secrets and customers' phone numbers. */
const FILE_MODE = 0o600;

/**
 * Writes a `.tar.gz` whose last member has the checksums of all others. It is written to a temporary file and renamed,
 * so that it is either complete or absent.
 */
export class ArchiveWriter {
  readonly #checksums: Record<string, { bytes: number; sha256: string }> = {};
  readonly #pack: Pack = pack();
  readonly #part: string;
  readonly #written: Promise<void>;
  #failed: unknown = null;

  constructor(private readonly file: string) {
    this.#part = partOf(file);
    this.#written = pipeline(
      this.#pack,
      createGzip({ level: GZIP_LEVEL }),
      createWriteStream(this.#part, { mode: FILE_MODE, flags: 'wx' }),
    );
    // The next `add` throws the error.
    this.#written.catch((error: unknown) => {
      this.#failed = error;
    });
  }

  async add(name: string, content: string | Buffer): Promise<void> {
    const bytes = Buffer.from(content);
    await this.#entry({ name, size: bytes.length }, [bytes]);
  }

  /** @returns the size in bytes. Of a growing file, only the size at the start is archived. @throws ENOENT */
  async addFile(name: string, path: string): Promise<number> {
    const { size, mode, mtime } = await stat(path);
    const content = size === 0 ? [] : createReadStream(path, { end: size - 1 });
    await this.#entry({ name, size, mode: mode & 0o777, mtime }, content as AsyncIterable<Buffer>);
    return size;
  }

  /** @returns the size of the whole archive in bytes */
  async finish(): Promise<number> {
    const checksums: Checksums = { members: this.#checksums };
    await this.#entry({ name: CHECKSUMS }, [Buffer.from(`${JSON.stringify(checksums, null, 2)}\n`)]);
    this.#pack.finalize();
    await this.#written;
    await commitPart(this.#part, this.file);
    return (await stat(this.file)).size;
  }

  /** Deletes the temporary file. */
  async abort(): Promise<void> {
    this.#pack.destroy();
    await this.#written.catch(() => undefined);
    await rm(this.#part, { force: true });
  }

  async #entry(
    header: { name: string; size?: number; mode?: number; mtime?: Date },
    content: Iterable<Buffer> | AsyncIterable<Buffer>,
  ): Promise<void> {
    if (this.#failed !== null) throw this.#failed as Error;
    const pieces = header.size === undefined ? [...(content as Iterable<Buffer>)] : content;
    const size = header.size ?? (pieces as Buffer[]).reduce((sum, piece) => sum + piece.length, 0);
    const hash = createHash('sha256');
    let bytes = 0;
    const written = Promise.race([
      this.#written,
      new Promise<void>((resolve, reject) => {
        const entry = this.#pack.entry({ mode: FILE_MODE, ...header, size }, (error) => {
          if (error) reject(error);
          else resolve();
        });
        void (async () => {
          for await (const piece of pieces) {
            hash.update(piece);
            bytes += piece.length;
            if (!entry.write(piece)) await new Promise<void>((go) => entry.once('drain', go));
          }
          entry.end();
        })().catch(reject);
      }),
    ]);
    await written;
    this.#checksums[header.name] = { bytes, sha256: hash.digest('hex') };
  }
}
