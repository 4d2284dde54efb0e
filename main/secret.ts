import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { Cipher } from '../core/model/cipher.js';
import { hasCode } from '../core/model/error-code.js';
import type { Settings } from '../config/settings.js';
import { secretFile } from './places.js';

/** The installation's secret: from the settings, else kept in the data folder (mode 600) and made at the first start. */
export async function openCipher(settings: Settings): Promise<Cipher> {
  if (settings.HATIF_SECRET !== undefined) return new Cipher(settings.HATIF_SECRET);
  const file = secretFile(settings);
  await mkdir(settings.HATIF_DATA_DIR, { recursive: true });
  try {
    // `wx`: of two first starts at once, one makes it and both read the same.
    await writeFile(file, randomBytes(48).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return new Cipher((await readFile(file, 'utf8')).trim());
}
