import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import type { Settings } from '../../config/settings.js';
import { readKeyPair } from '../../core/services/certificates/certificate-files.js';
import { sipTlsFiles } from '../install/certificate-files.js';
import { writeTlsFolder } from '../install/tls-folder.js';

const ANSWERS_WITHIN_MS = 3_000;
/** drachtio-server may be another user of the same group. */
const MODE = 0o640;

/** Gives drachtio-server the certificate of SIP, which it reads when it starts. */
export async function writeDrachtioCertificate(settings: Settings): Promise<void> {
  const { DRACHTIO_TLS_DIR: folder } = settings;
  if (folder !== undefined) await writeTlsFolder(settings, folder, MODE);
}

/**
 * Whether drachtio-server shows the certificate of the files, or an older one because it was not restarted since.
 * @returns null without TLS, and if it does not answer or the files cannot be read
 */
export async function showsCertificate(settings: Settings): Promise<boolean | null> {
  const files = sipTlsFiles(settings);
  if (!files) return null;
  const [shown, pair] = await Promise.all([
    shownAt(settings.DRACHTIO_HOST, settings.SIP_TLS_PORT),
    readKeyPair(files).catch(() => null),
  ]);
  if (shown === null || pair === null) return null;
  return new X509Certificate(pair.cert).fingerprint256 === shown;
}

/** The fingerprint of the certificate; null if nothing answers. */
function shownAt(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    // Whether others trust it is not the question.
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: ANSWERS_WITHIN_MS }, () => {
      const certificate = socket.getPeerX509Certificate();
      socket.end();
      resolve(certificate?.fingerprint256 ?? null);
    });
    const fail = (): void => {
      socket.destroy();
      resolve(null);
    };
    socket.once('error', fail).once('timeout', fail);
  });
}
