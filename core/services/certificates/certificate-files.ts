import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from '../../ports/logger.js';

/** The PEM files of a certificate; both may be the same file. */
export interface CertificateFiles {
  /** The certificate, followed by those between it and the root. */
  readonly cert: string;
  readonly key: string;
}

/** What the files hold. */
export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface FollowOptions {
  /** What the certificate is for, in the log. */
  readonly what: 'HTTPS' | 'SIP';
  readonly logger: Logger;
  /** How often the files are looked at: programs that renew certificates send no notification. Default 5 s. */
  readonly lookMs?: number;
}

const LOOK_MS = 5_000;

/** @throws Error if a file cannot be read, is not PEM, or the key is not that of the certificate */
export async function readKeyPair(files: CertificateFiles): Promise<KeyPair> {
  const [cert, key] = await Promise.all([readFile(files.cert), readFile(files.key)]);
  createSecureContext({ cert, key });
  return { cert, key };
}

/**
 * Calls `use` with the new certificate when the files have changed. Until both files fit together, the previous
 * certificate stays: a renewal writes them one after the other.
 * @returns ends it
 */
export function followCertificate(
  files: CertificateFiles,
  use: (pair: KeyPair) => void | Promise<void>,
  { what, logger, lookMs = LOOK_MS }: FollowOptions,
): () => void {
  const file = files.cert;
  const read = (): void => {
    readKeyPair(files)
      .then(use)
      .then(
        () => logger.info({ file }, `the certificate of ${what} was read again`),
        (err: unknown) =>
          logger.warn({ err, file }, `the new certificate of ${what} cannot be used; the previous one stays`),
      );
  };
  const paths = new Set([files.cert, files.key]);
  for (const path of paths) watchFile(path, { interval: lookMs, persistent: false }, read);
  return () => {
    for (const path of paths) unwatchFile(path, read);
  };
}
