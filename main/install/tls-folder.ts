import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { writeAtomically } from '../../adapters/files/durable.js';
import type { Settings } from '../../config/settings.js';
import { readKeyPair } from '../../core/services/certificates/certificate-files.js';
import { sipTlsFiles } from './certificate-files.js';

/**
 * Writes the files of SIP over TLS for an engine that Hatif does not start: `agent.pem`, the certificate with its chain
 * and its key, and `cafile.pem`, the authorities of carriers. FreeSWITCH reads them by these names.
 * @returns false without SIP over TLS
 * @throws Error if the files of the settings cannot be read or do not fit together
 */
export async function writeTlsFolder(settings: Settings, folder: string, mode: number): Promise<boolean> {
  const files = sipTlsFiles(settings);
  if (!files) return false;
  const { cert, key } = await readKeyPair(files);
  const { SIP_TLS_CA_FILE: own } = settings;
  const authorities = own === undefined ? `${rootCertificates.join('\n')}\n` : await readFile(own, 'utf8');
  await mkdir(folder, { recursive: true });
  const identity = files.cert === files.key ? cert.toString() : `${cert.toString().trimEnd()}\n${key.toString()}`;
  for (const [name, text] of [
    ['agent.pem', identity],
    ['cafile.pem', authorities],
  ] as const) {
    await writeAtomically(join(folder, name), async (part) => {
      await writeFile(part, text, { mode });
      await chmod(part, mode);
    });
  }
  return true;
}
