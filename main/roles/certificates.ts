import { followCertificate } from '../../core/services/certificates/certificate-files.js';
import { runPeriodicTasks } from '../../core/services/runtime/periodic-task.js';
import type { Closers } from '../../core/services/runtime/closers.js';
import { sipTlsFiles } from '../install/certificate-files.js';
import { openPublication } from '../wiring/certificates/acme.js';
import type { Infrastructure } from '../wiring/infrastructure.js';

/** Keeps the certificates of this process's servers up to date; HTTPS follows its files itself. */
export function startCertificates(
  infrastructure: Pick<Infrastructure, 'settings' | 'parts' | 'stores' | 'cipher' | 'clock' | 'log'>,
  closers: Closers,
): void {
  const { settings, parts, clock, log } = infrastructure;
  const publication = openPublication(infrastructure);
  if (publication) closers.add(runPeriodicTasks([publication], { clock, log }));
  const files = sipTlsFiles(settings);
  const renew = parts.embedded.asterisk?.renewCertificate;
  if (files && renew) closers.add(followCertificate(files, renew, { what: 'SIP', logger: log }));
}
