import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { createLogger } from '../../api/http/logging.js';
import type { Settings } from '../../config/settings.js';
import type { Logger } from '../../core/ports/logger.js';

/** Opens the log, one JSON line per event. An embedded start logs to a file, to keep the terminal readable. */
export function openLog(settings: Settings): { readonly log: Logger; readonly file: string | null } {
  const level = settings.LOG_LEVEL;
  const base = { instance: settings.HATIF_INSTANCE };
  const toFile = (settings.LOG_TO ?? (settings.DATABASE_URL === undefined ? 'file' : 'stdout')) === 'file';
  if (!toFile) return { log: createLogger({ level, base }), file: null };
  const folder = join(settings.HATIF_DATA_DIR, 'logs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'hatif.log');
  return {
    log: createLogger({ level, base, destination: pino.destination({ dest: file, sync: false, mode: 0o600 }) }),
    file,
  };
}
