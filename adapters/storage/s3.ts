import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { hasCode } from '../../core/model/error-code.js';
import { StorageError, type ByteRange, type ObjectStore } from '../../core/ports/object-store.js';
import { checkKey } from './key.js';

export interface S3Options {
  /** Default: Amazon's endpoint of the region. */
  readonly endpoint?: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Puts the bucket in the path instead of the host name, as most S3-compatible servers require. */
  readonly forcePathStyle: boolean;
  /** Prefix of every key, without a trailing slash. */
  readonly prefix?: string;
  /** The server-side encryption to request for each file. */
  readonly encryption?: 'AES256' | 'aws:kms';
}

const CONNECT_TIMEOUT_MS = 3_000;
/** Timeout of requests without a body, and until the first byte of a response with one. */
const ANSWER_TIMEOUT_MS = 10_000;
const ignore = (): void => undefined;
const PROBE_KEY = 'probe';
/** An idle connection is closed after this time. A client that pauses longer must request the rest again. */
const IDLE_TIMEOUT_MS = 60_000;

/**
 * A bucket of an S3-compatible server. Each file is one PUT (S3's limit is 5 GiB, a WAV file's 4 GiB) with its MD5, so
 * that the server rejects content damaged in transit. The bucket must not have versioning: removed files would persist.
 */
export class S3Store implements ObjectStore {
  readonly kind = 's3';
  readonly #client: S3Client;

  constructor(private readonly options: S3Options) {
    const { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle } = options;
    this.#client = new S3Client({
      ...(endpoint === undefined ? {} : { endpoint }),
      region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle,
      maxAttempts: 2,
      // Errors are reported to the caller; the client would write to the terminal.
      logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      // Not every S3-compatible server supports the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: new NodeHttpHandler({ connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: IDLE_TIMEOUT_MS }),
    });
  }

  async put(key: string, file: string, contentType: string): Promise<void> {
    const target = this.#objectOf(key);
    const { encryption } = this.options;
    await attempt(async () => {
      const { size } = await stat(file);
      const md5 = createHash('md5');
      await pipeline(createReadStream(file), md5);
      const put = new PutObjectCommand({
        ...target,
        Body: createReadStream(file),
        ContentLength: size,
        ContentMD5: md5.digest('base64'),
        ContentType: contentType,
        ...(encryption === undefined ? {} : { ServerSideEncryption: encryption }),
      });
      await this.#client.send(put);
    });
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    const target = this.#objectOf(key);
    const wanted = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
    return attempt(async () => {
      const { Body: body } = await withResponseTimeout((abortSignal) =>
        this.#client.send(new GetObjectCommand({ ...target, ...wanted }), { abortSignal }),
      );
      if (!(body instanceof Readable)) throw new Error('the response has no body');
      return body;
    });
  }

  async size(key: string): Promise<number> {
    const target = this.#objectOf(key);
    return attempt(async () => {
      const head = withResponseTimeout((abortSignal) =>
        this.#client.send(new HeadObjectCommand(target), { abortSignal }),
      );
      // A response to HEAD has no body, so it does not show whether the file or the bucket is missing.
      const { ContentLength: bytes } = await head.catch(async (error: unknown) => {
        if (isNotFound(error)) await this.#checkBucket();
        throw error;
      });
      if (bytes === undefined) throw new Error('the response has no length');
      return bytes;
    });
  }

  async remove(key: string): Promise<void> {
    const target = this.#objectOf(key);
    await attempt(async () => {
      const removal = withResponseTimeout((abortSignal) =>
        this.#client.send(new DeleteObjectCommand(target), { abortSignal }),
      );
      await removal.catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    });
  }

  async check(): Promise<void> {
    await attempt(() => this.#checkBucket());
  }

  #objectOf(key: string): { Bucket: string; Key: string } {
    checkKey(key);
    const { bucket, prefix } = this.options;
    return { Bucket: bucket, Key: prefix === undefined ? key : `${prefix}/${key}` };
  }

  /** Checks the bucket by reading a file that does not exist: this needs no permission beyond those for recordings. */
  async #checkBucket(): Promise<void> {
    const probe = this.read(PROBE_KEY).catch((error: unknown) => {
      if (!(error instanceof StorageError && error.problem === 'not_found')) throw error;
    });
    (await probe)?.destroy();
  }
}

/** Aborts if no response starts in time; the body of a response is not affected. */
async function withResponseTimeout<T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ANSWER_TIMEOUT_MS);
  try {
    return await send(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw isNotFound(error) || isMissingFile(error)
      ? new StorageError('not_found', 'no such file in the storage', { cause: error })
      : new StorageError('unavailable', 'the S3 storage is unavailable', { cause: error });
  }
}

function isNotFound(error: unknown): boolean {
  // A response to HEAD has no body with an error name, only the status.
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404 && error.name !== 'NoSuchBucket';
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && hasCode(error, 'ENOENT');
}
