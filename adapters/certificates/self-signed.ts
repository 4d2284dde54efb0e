import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';

const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/**
 * A certificate that signed itself, which nobody trusts, with its key: PEM. It keeps ports of TLS open until an authority
 * has issued a certificate.
 */
export async function selfSigned(names: readonly string[], days = 30): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const now = Date.now();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${names[0] ?? 'hatif'}`,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + days * DAY_MS),
    signingAlgorithm: KEY,
    keys,
    extensions: [new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value })))],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return `${certificate.toString('pem')}\n${key.toString()}`;
}
