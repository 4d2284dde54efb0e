import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import type { Settings } from '../config/settings.js';

/** One JSON line an event. An embedded start writes to a file, because its terminal belongs to the person before it. */
export function openLog(settings: Settings): { readonly log: Logger; readonly file: string | null } {
  const toFile = (settings.LOG_TO ?? (settings.DATABASE_URL === undefined ? 'file' : 'stdout')) === 'file';
  const options = {
    level: settings.LOG_LEVEL,
    base: { instance: settings.HATIF_INSTANCE },
    redact: {
      paths: [
        'password',
        'secret',
        'digits',
        'code',
        'authorization',
        '*.password',
        '*.secret',
        '*.digits',
        '*.authorization',
      ],
      censor: '[redacted]',
    },
  };
  if (!toFile) return { log: pino(options), file: null };
  const folder = join(settings.HATIF_DATA_DIR, 'logs');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'hatif.log');
  return { log: pino(options, pino.destination({ dest: file, sync: false, mkdir: true })), file };
}
