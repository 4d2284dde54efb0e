import { createSecureContext, type SecureVersion } from 'node:tls';
import {
  readKeyPair,
  type CertificateFiles,
  type KeyPair,
} from '../../core/services/certificates/certificate-files.js';

/** A certificate, and how it is used. */
export interface Certificate extends KeyPair {
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

/** @throws Error if a file cannot be read, is not PEM, or the key is not that of the certificate */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  return certificateOf(await readKeyPair(files));
}

/** @throws Error if it cannot be used for HTTPS */
export function certificateOf(pair: KeyPair): Certificate {
  const certificate = { ...pair, ...TLS };
  createSecureContext(certificate);
  return certificate;
}
