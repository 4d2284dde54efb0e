import { AcmeAuthority } from '../../../adapters/acme/acme-authority.js';
import type { Settings } from '../../../config/settings.js';
import { AcmeCertificates, type CertificateId } from '../../../core/data/repositories/certificates/certificates.js';
import { CertificatePublication } from '../../../core/services/certificates/publication.js';
import { CertificateRenewal } from '../../../core/services/certificates/renewal.js';
import { readAcmeFile, writeAcmeFile } from '../../install/acme-file.js';
import type { Infrastructure } from '../infrastructure.js';

/** The certificate that the settings ask an authority for; null if they ask for none. */
export function wantedCertificate({ ACME_DOMAINS, ACME_DIRECTORY_URL }: Settings): CertificateId | null {
  if (ACME_DOMAINS.length === 0) return null;
  return { authority: ACME_DIRECTORY_URL, names: [...new Set(ACME_DOMAINS)].sort().join() };
}

/** What a process does for the certificate: it brings it to its servers. Null if the settings ask for none. */
export function openPublication({
  settings,
  stores,
  cipher,
}: Pick<Infrastructure, 'settings' | 'stores' | 'cipher'>): CertificatePublication | null {
  const wanted = wantedCertificate(settings);
  if (!wanted) return null;
  return new CertificatePublication({
    certificates: new AcmeCertificates(stores.db),
    wanted,
    cipher,
    read: () => readAcmeFile(settings),
    write: (pem) => writeAcmeFile(settings, pem),
  });
}

export interface Renewal {
  readonly task: CertificateRenewal;
  close(): Promise<void>;
}

/** What the role `jobs` does for the certificate: it orders it. Null if the settings ask for none. */
export function openRenewal({
  settings,
  stores,
  cipher,
  clock,
  log,
}: Pick<Infrastructure, 'settings' | 'stores' | 'cipher' | 'clock' | 'log'>): Renewal | null {
  const wanted = wantedCertificate(settings);
  if (!wanted) return null;
  const { ACME_EMAIL: email, ACME_EAB_KEY_ID: keyId, ACME_EAB_HMAC_KEY: hmacKey } = settings;
  const authority = new AcmeAuthority({
    directoryUrl: wanted.authority,
    ...(email !== undefined && { email }),
    ...(keyId !== undefined && hmacKey !== undefined && { externalAccount: { keyId, hmacKey } }),
  });
  const certificates = new AcmeCertificates(stores.db);
  return {
    task: new CertificateRenewal({ certificates, authority, wanted, cipher, clock, log }),
    close: () => authority.close(),
  };
}
