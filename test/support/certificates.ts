import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type X509Certificate,
} from '@peculiar/x509';

const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** A certificate and its key: PEM. */
export interface MadeCertificate {
  readonly cert: string;
  readonly key: string;
  /** Both in one file. */
  readonly pem: string;
}

/** An authority of the tests. */
export class TestAuthority {
  private constructor(
    private readonly root: X509Certificate,
    private readonly keys: webcrypto.CryptoKeyPair,
  ) {}

  static async create(name = 'Authority of the tests'): Promise<TestAuthority> {
    const keys = await newKeys();
    const root = await X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      ...lifetime(),
      signingAlgorithm: KEY,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    });
    return new TestAuthority(root, keys);
  }

  /** Its own certificate: PEM. */
  get cert(): string {
    return this.root.toString('pem');
  }

  /** For servers on the loopback, unless it is for a host. */
  async issue(host?: string): Promise<MadeCertificate> {
    const keys = await newKeys();
    const name =
      host === undefined ? ({ type: 'ip', value: '127.0.0.1' } as const) : ({ type: 'dns', value: host } as const);
    const made = await X509CertificateGenerator.create({
      // FreeSWITCH compares an address with the common name only.
      subject: `CN=${name.value}`,
      issuer: this.root.subject,
      ...lifetime(),
      signingAlgorithm: KEY,
      signingKey: this.keys.privateKey,
      publicKey: keys.publicKey,
      extensions: [new SubjectAlternativeNameExtension([name])],
    });
    const cert = `${made.toString('pem')}\n${this.cert}\n`;
    const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
    return { cert, key, pem: `${cert}${key}` };
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
}

function lifetime(): { readonly notBefore: Date; readonly notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - DAY_MS), notAfter: new Date(now + 30 * DAY_MS) };
}
