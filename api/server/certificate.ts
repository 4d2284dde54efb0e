import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureVersion } from 'node:tls';
import type { Logger } from '../../core/ports/logger.js';

/** The PEM files of HTTPS. */
export interface CertificateFiles {
  /** The certificate, followed by those between it and the root. */
  readonly cert: string;
  readonly key: string;
}

/** What the files hold, and how it is used. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly minVersion: SecureVersion;
  readonly ciphers: string;
}

/**
 * TLS 1.2 and 1.3, with forward secrecy and authenticated encryption only, the strongest first: Mozilla's intermediate
 * configuration without finite-field Diffie-Hellman. Node.js's own list ends with suites that have neither.
 */
const TLS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
  ].join(':'),
} as const;

/** How often the files are looked at: programs that renew certificates send no notification. */
const LOOK_MS = 5_000;

/** @throws Error if a file cannot be read, is not PEM, or the key is not that of the certificate */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  const [cert, key] = await Promise.all([readFile(files.cert), readFile(files.key)]);
  const certificate = { cert, key, ...TLS };
  createSecureContext(certificate);
  return certificate;
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
