import { Router } from 'express';
import { serveFile } from '../../pages/served-file.js';

/** The built browser package. */
export interface WebPackage {
  /** The whole package as one module. */
  readonly module: Uint8Array;
  /** The package as npm installs it. */
  readonly archive: Uint8Array;
  /** Of the libraries in it. */
  readonly licences: Uint8Array;
}

/** The browser package, as pages import it and as npm installs it: in the version that fits this platform. */
export function webPackageRouter({ module, archive, licences }: WebPackage): Router {
  const router = Router();
  router.get('/web/v1.js', serveFile(module, 'text/javascript; charset=utf-8'));
  router.get('/web/hatif-web.tgz', serveFile(archive, 'application/gzip'));
  router.get('/web/licences.txt', serveFile(licences, 'text/plain; charset=utf-8'));
  return router;
}
