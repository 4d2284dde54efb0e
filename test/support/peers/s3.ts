import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import type { S3Options } from '../../../adapters/storage/s3.js';
import { filesBelow } from '../files-below.js';

const BUCKET = 'recordings';
const ADDRESS = '127.0.0.1';
/** The only key pair that the server accepts. */
const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

/** The server's file name of an object. */
const OBJECT = /^(.*)\._S3rver_object$/;

/** An S3-compatible server for one test, which checks signatures and keeps its files in a folder. */
export interface S3Peer {
  readonly options: S3Options & { readonly endpoint: string };
  readonly port: number;
  /** The keys of all stored objects. */
  keys(): string[];
  stop(): Promise<void>;
}

export async function startS3(): Promise<S3Peer> {
  const directory = mkdtempSync(path.join(tmpdir(), 'hatif-s3-'));
  const configureBuckets = [{ name: BUCKET, configs: [] }];
  const server = new S3rver({ address: ADDRESS, port: 0, silent: true, directory, configureBuckets });
  const { port } = await server.run();
  return {
    options: {
      endpoint: `http://${ADDRESS}:${port}`,
      region: 'us-east-1',
      bucket: BUCKET,
      ...CREDENTIALS,
      forcePathStyle: true,
    },
    port,
    keys: () => filesBelow(path.join(directory, BUCKET)).flatMap((file) => OBJECT.exec(file)?.[1] ?? []),
    async stop() {
      await server.close();
      rmSync(directory, { recursive: true });
    },
  };
}
