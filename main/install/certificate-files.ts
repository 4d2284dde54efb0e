import type { Settings } from '../../config/settings.js';
import { usesAcme } from '../../config/tls.js';
import type { CertificateFiles } from '../../core/services/certificates/certificate-files.js';
import { acmeFile } from './places.js';

/** The files of the certificate of HTTPS; null without HTTPS. */
export function httpsFiles(settings: Settings): CertificateFiles | null {
  if (usesAcme(settings, 'https')) return acmeFiles(settings);
  return filesOf(settings.HTTP_TLS_CERT, settings.HTTP_TLS_KEY);
}

/** The files of the certificate of SIP over TLS; null without it. */
export function sipTlsFiles(settings: Settings): CertificateFiles | null {
  if (usesAcme(settings, 'sip')) return acmeFiles(settings);
  return filesOf(settings.SIP_TLS_CERT, settings.SIP_TLS_KEY);
}

function acmeFiles(settings: Settings): CertificateFiles {
  const file = acmeFile(settings);
  return { cert: file, key: file };
}

function filesOf(cert: string | undefined, key: string | undefined): CertificateFiles | null {
  return cert === undefined || key === undefined ? null : { cert, key };
}
