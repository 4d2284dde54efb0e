import type { AcmeCertificates, CertificateId } from '../../data/repositories/certificates/certificates.js';
import type { Cipher } from '../../model/access/cipher.js';
import type { PeriodicTask } from '../runtime/periodic-task.js';

export interface CertificatePublicationOptions {
  readonly certificates: AcmeCertificates;
  readonly wanted: CertificateId;
  readonly cipher: Pick<Cipher, 'open'>;
  /** The file of this machine that the servers follow; null if there is none. */
  readonly read: () => Promise<string | null>;
  readonly write: (pem: string) => Promise<void>;
}

const EVERY_MS = 2_000;

/** Brings an issued certificate, with its key, from the database to the file that the servers of this machine follow. */
export class CertificatePublication implements PeriodicTask {
  readonly name = 'certificate publication';
  readonly everyMs = EVERY_MS;
  readonly startsAtOnce = true;

  constructor(private readonly options: CertificatePublicationOptions) {}

  /** @throws DatabaseUnavailable */
  async run(): Promise<void> {
    const { certificates, wanted, cipher, read, write } = this.options;
    const row = await certificates.get(wanted);
    if (row?.chain == null || row.key === null) return;
    const pem = `${row.chain.trimEnd()}\n${cipher.open(row.key)}`;
    if ((await read()) !== pem) await write(pem);
  }
}
