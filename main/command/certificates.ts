import { X509Certificate } from 'node:crypto';
import type { CertificateReport, UsedCertificate } from '../../cli/common/context.js';
import { CliError } from '../../cli/common/failure.js';
import type { Settings } from '../../config/settings.js';
import { AcmeCertificates } from '../../core/data/repositories/certificates/certificates.js';
import type { Database } from '../../core/data/database.js';
import type { Clock } from '../../core/ports/clock.js';
import { readKeyPair, type CertificateFiles } from '../../core/services/certificates/certificate-files.js';
import { httpsFiles, sipTlsFiles } from '../install/certificate-files.js';
import { writeTlsFolder } from '../install/tls-folder.js';

/** The certificates of this machine, and what the database knows about their renewal. */
export async function reportCertificates(settings: Settings, db: Database, clock: Clock): Promise<CertificateReport> {
  const used = await Promise.all(
    (
      [
        ['https', httpsFiles(settings)],
        ['sip', sipTlsFiles(settings)],
      ] as const
    ).flatMap(([what, files]) => (files ? [examine(what, files)] : [])),
  );
  const ordered = await new AcmeCertificates(db).list(clock.now());
  return {
    used,
    ordered: ordered.map(({ authority, names, not_after, next_attempt_at, failures, failure }) => ({
      ...{ authority, names: names.split(','), expires_at: not_after, next_attempt_at, failures, failure },
    })),
  };
}

async function examine(what: UsedCertificate['for'], files: CertificateFiles): Promise<UsedCertificate> {
  const unread = { for: what, file: files.cert, names: [], issuer: null, expires_at: null };
  try {
    const { cert } = await readKeyPair(files);
    const { subjectAltName = '', issuer, validTo } = new X509Certificate(cert);
    const names = subjectAltName.split(', ').map((name) => name.replace(/^(?:DNS|IP Address):/, ''));
    return { ...unread, names, issuer: issuer.replaceAll('\n', ', '), expires_at: new Date(validTo), problem: null };
  } catch (error) {
    return { ...unread, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** @throws CliError if the files of the settings cannot be used */
export async function writeCertificates(settings: Settings, folder: string, mode: number): Promise<boolean> {
  try {
    return await writeTlsFolder(settings, folder, mode);
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error));
  }
}
