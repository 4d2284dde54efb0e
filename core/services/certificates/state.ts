import type { AcmeCertificates } from '../../data/repositories/certificates/certificates.js';
import type { AcmeCertificateRow } from '../../data/rows.js';

/** `off`: no authority is asked for a certificate. `down`: one is missing, has expired, or will because its renewal fails. */
export type CertificateState = 'up' | 'down' | 'off';

type Known = Pick<AcmeCertificateRow, 'not_before' | 'not_after' | 'failures'>;

/** A renewal is due when a third of the time of a certificate is left; it is late when half of that has passed, too. */
const LATE = 1 / 6;

/** Whether a certificate is valid, and not about to expire because its renewal fails. */
export function isSound({ not_before, not_after, failures }: Known, now: Date): boolean {
  if (not_before === null || not_after === null || not_after <= now) return false;
  const [lifeMs, leftMs] = [not_after.getTime() - not_before.getTime(), not_after.getTime() - now.getTime()];
  return failures === 0 || leftMs > lifeMs * LATE;
}

/** The state of the certificates that the processes of the installation ask authorities for. */
export async function certificateState(
  certificates: Pick<AcmeCertificates, 'list'>,
  now: Date,
): Promise<CertificateState> {
  const rows = await certificates.list(now);
  if (rows.length === 0) return 'off';
  return rows.every((row) => isSound(row, now)) ? 'up' : 'down';
}
