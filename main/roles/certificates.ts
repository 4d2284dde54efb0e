import { followCertificate } from '../../core/services/certificates/certificate-files.js';
import { runPeriodicTasks } from '../../core/services/runtime/periodic-task.js';
import type { Closers } from '../../core/services/runtime/closers.js';
import { sipTlsFiles } from '../install/certificate-files.js';
import { openPublication } from '../wiring/certificates/acme.js';
import type { Infrastructure } from '../wiring/infrastructure.js';
import { writeDrachtioCertificate } from './sip-certificate.js';

/** Keeps the certificates of this process's servers up to date; HTTPS follows its files itself. */
export async function startCertificates(
  infrastructure: Pick<Infrastructure, 'settings' | 'parts' | 'stores' | 'cipher' | 'clock' | 'log'>,
  closers: Closers,
): Promise<void> {
  const { settings, parts, clock, log } = infrastructure;
  const publication = openPublication(infrastructure);
  if (publication) closers.add(runPeriodicTasks([publication], { clock, log }));
  const files = sipTlsFiles(settings);
  if (!files) return;
  const renew = parts.embedded.asterisk?.renewCertificate;
  if (renew) closers.add(followCertificate(files, renew, { what: 'SIP', logger: log }));
  if (!settings.HATIF_ROLES.includes('sip') || settings.DRACHTIO_TLS_DIR === undefined) return;
  const give = (): Promise<void> => writeDrachtioCertificate(settings);
  await give().catch((error: unknown) => log.error({ err: error }, 'drachtio-server gets no certificate'));
  closers.add(followCertificate(files, give, { what: 'SIP', logger: log }));
}
