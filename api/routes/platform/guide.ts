import { Router, type NextFunction, type Request, type Response } from 'express';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { GUIDE_SCRIPT, GUIDE_STYLE } from '../../pages/guide/assets.js';
import { GUIDE_ROOT, type Guide } from '../../pages/guide/guide.js';
import { escapeText } from '../../pages/html.js';

/** Allows nothing from other hosts, no inline scripts and no inline styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const minisearch = join(dirname(createRequire(import.meta.url).resolve('minisearch')), '../umd/index.js');

/** The address in the examples of the documents: that of an installation with the default settings. */
const EXAMPLE_URL = /http:\/\/127\.0\.0\.1:8080(?!\d)/g;

/**
 * Serves the project's documents as a small site at `/docs/guide`, readable offline. The examples name the address of
 * this installation.
 */
export function guideRouter(guide: Guide, publicUrl: () => string): Router {
  const router = Router();
  const pages = new Map(Object.entries(guide.pages));
  const files = new Map(Object.entries(guide.files));
  const assets = [
    ['assets/guide.css', 'text/css', GUIDE_STYLE],
    ['assets/guide.js', 'text/javascript', GUIDE_SCRIPT],
    ['search.json', 'application/json', guide.searchIndex],
  ] as const;
  for (const [name, type, text] of assets) {
    router.get(`${GUIDE_ROOT}/${name}`, (_req: Request, res: Response) => {
      res.setHeader('Cache-Control', 'no-cache');
      res.type(`${type}; charset=utf-8`).send(text);
    });
  }
  router.get(`${GUIDE_ROOT}/assets/minisearch.js`, (_req: Request, res: Response) => {
    res.sendFile(minisearch, { maxAge: '1d' });
  });
  router.get([GUIDE_ROOT, `${GUIDE_ROOT}/{*path}`], (req: Request, res: Response, next: NextFunction) => {
    const address = req.path.replace(/\/+$/, '');
    const page = pages.get(address);
    const file = files.get(address);
    if (page !== undefined)
      send(
        res,
        200,
        'text/html',
        page.replace(EXAMPLE_URL, () => escapeText(publicUrl())),
      );
    else if (file !== undefined) send(res, 200, 'text/plain', file);
    else if (req.accepts('html') === 'html') send(res, 404, 'text/html', guide.notFound);
    else next();
  });
  return router;
}

function send(res: Response, status: number, type: string, body: string): void {
  res.setHeader('Content-Security-Policy', POLICY);
  res.setHeader('Cache-Control', 'no-cache');
  res.status(status).type(`${type}; charset=utf-8`).send(body);
}
