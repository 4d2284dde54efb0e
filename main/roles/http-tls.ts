import type { ServerTls } from '../../api/server/server.js';
import type { Settings } from '../../config/settings.js';
import type { Logger } from '../../core/ports/logger.js';
import { httpsFiles } from '../install/certificate-files.js';

/** HTTPS with the certificate of the settings; nothing without one. */
export function httpTls(settings: Settings, logger: Logger): { readonly tls?: ServerTls } {
  const files = httpsFiles(settings);
  return files ? { tls: { files, logger } } : {};
}
