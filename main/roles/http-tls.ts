import type { ServerTls } from '../../api/server/server.js';
import type { Settings } from '../../config/settings.js';
import type { Logger } from '../../core/ports/logger.js';

/** What makes the API's server serve HTTPS, if settings name a certificate. */
export function httpTls(settings: Settings, logger: Logger): { readonly tls?: ServerTls } {
  const { HTTP_TLS_CERT: cert, HTTP_TLS_KEY: key } = settings;
  return cert === undefined || key === undefined ? {} : { tls: { files: { cert, key }, logger } };
}
