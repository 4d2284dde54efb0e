import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { partOf, sync } from '../../adapters/files/durable.js';
import { Cipher } from '../../core/model/access/cipher.js';
import { hasCode } from '../../core/model/error-code.js';
import type { Settings } from '../../config/settings.js';
import { secretFile } from './places.js';

/**
 * Opens the cipher with the installation's secret, from the settings or the data folder (mode 600), where the first
 * start generates it.
 */
export async function openCipher(settings: Settings): Promise<Cipher> {
  if (settings.HATIF_SECRET !== undefined) return new Cipher(settings.HATIF_SECRET);
  const file = secretFile(settings);
  await mkdir(settings.HATIF_DATA_DIR, { recursive: true });
  return new Cipher((await kept(file)) ?? (await makeOnce(file)));
}

async function kept(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Writes the secret durably before anything is encrypted with it. Two first starts at the same time get the same
 * secret.
 */
async function makeOnce(file: string): Promise<string> {
  const part = partOf(file);
  try {
    await writeFile(part, randomBytes(48).toString('base64url'), { mode: 0o600 });
    await sync(part);
    await link(part, file);
    await sync(dirname(file));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(part, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}
