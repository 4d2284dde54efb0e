import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createSecureContext } from 'node:tls';
import { writeAtomically } from '../../adapters/files/durable.js';
import type { Settings } from '../../config/settings.js';
import { acmeFile } from './places.js';

/** Makes sure that ports of TLS can be opened: until the authority issues a certificate, with one that nobody trusts. */
export async function prepareAcmeFile(settings: Settings): Promise<void> {
  if (settings.ACME_DOMAINS.length === 0) return;
  const known = await readAcmeFile(settings);
  if (known !== null && isUsable(known)) return;
  const { selfSigned } = await import('../../adapters/certificates/self-signed.js');
  await writeAcmeFile(settings, await selfSigned(settings.ACME_DOMAINS));
}

/** @returns null if there is none */
export function readAcmeFile(settings: Settings): Promise<string | null> {
  return readFile(acmeFile(settings), 'utf8').catch(() => null);
}

/** Replaces it at once; only the owner may read it (mode 600). */
export async function writeAcmeFile(settings: Settings, pem: string): Promise<void> {
  const file = acmeFile(settings);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeAtomically(file, (part) => writeFile(part, pem, { mode: 0o600 }));
}

function isUsable(pem: string): boolean {
  try {
    createSecureContext({ cert: pem, key: pem });
    return true;
  } catch {
    return false;
  }
}
