import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from '../../core/ports/logger.js';

/** The PEM files of HTTPS. */
export interface CertificateFiles {
  /** The certificate, followed by those between it and the root. */
  readonly cert: string;
  readonly key: string;
}

/** What the files hold. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** How often the files are looked at: programs that renew certificates send no notification. */
const LOOK_MS = 5_000;

/** @throws Error if a file cannot be read, is not PEM, or the key is not that of the certificate */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
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
  use: (certificate: Certificate) => void,
  logger: Logger,
  lookMs = LOOK_MS,
): () => void {
  const read = (): void => {
    readCertificate(files).then(
      (certificate) => {
        use(certificate);
        logger.info({ file: files.cert }, 'the certificate of HTTPS was read again');
      },
      (error: unknown) => {
        logger.warn(
          { err: error, file: files.cert },
          'the new certificate of HTTPS cannot be used; the previous one stays',
        );
      },
    );
  };
  const paths = [files.cert, files.key];
  for (const path of paths) watchFile(path, { interval: lookMs, persistent: false }, read);
  return () => {
    for (const path of paths) unwatchFile(path, read);
  };
}
