import { Router, type Request, type Response } from 'express';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isErrorCode } from '../../../core/model/errors/index.js';
import type { Route } from '../../http/route.js';
import { ICON, STYLE } from '../../pages/assets.js';
import { changesPage } from '../../pages/changes.js';
import { errorPage, errorsPage } from '../../pages/errors.js';
import { eventsPage } from '../../pages/events/events.js';
import { REFERENCE_SCRIPT, REFERENCE_STYLE } from '../../pages/reference/assets.js';
import { referencePage } from '../../pages/reference/reference.js';

export interface DocsOptions {
  /** The routes that the pages document. */
  readonly routes: readonly Route[];
  readonly publicUrl: () => string;
}

/** Allows nothing from other hosts. The reference needs style attributes and data: images. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The documentation: reference, errors, change history. Served from the installation, readable offline. */
export function docsRouter({ routes, publicUrl }: DocsOptions): Router {
  const router = Router();
  const page = (path: string, render: () => string) =>
    router.get(path, (_req: Request, res: Response) => sendPage(res, render()));
  page('/docs', () => referencePage(publicUrl()));
  let events: string | undefined;
  page('/docs/events', () => (events ??= eventsPage()));
  page('/docs/errors', errorsPage);
  page('/docs/changes', changesPage);
  router.get('/docs/errors/:code', (req: Request<{ code: string }>, res, next) => {
    const code = req.params.code.toUpperCase();
    if (isErrorCode(code)) sendPage(res, errorPage(code, routes));
    else next();
  });
  asset(router, 'style.css', 'text/css', STYLE);
  asset(router, 'icon.svg', 'image/svg+xml', ICON);
  asset(router, 'reference.css', 'text/css', REFERENCE_STYLE);
  asset(router, 'reference.js', 'text/javascript', REFERENCE_SCRIPT);
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    router.get(`/docs/assets/${file}`, (_req: Request, res: Response) => {
      res.sendFile(join(swagger, file), { maxAge: '1d' });
    });
  }
  return router;
}

function sendPage(res: Response, markup: string): void {
  res.setHeader('Content-Security-Policy', POLICY);
  res.setHeader('Cache-Control', 'no-cache');
  res.type('text/html; charset=utf-8').send(markup);
}

function asset(router: Router, name: string, type: string, text: string): void {
  router.get(`/docs/assets/${name}`, (_req: Request, res: Response) => {
    res.setHeader('Cache-Control', 'public, max-age=3600');
    res.type(`${type}; charset=utf-8`).send(text);
  });
}
