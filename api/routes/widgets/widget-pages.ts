import { Router, type Request, type Response } from 'express';
import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { languageOf } from '../../http/request/language.js';
import { widgetDemoPage, type WidgetDemo } from '../../pages/widget.js';

export interface WidgetPagesOptions {
  /** The built widget; null if it was not built, which answers 404. */
  readonly script: Uint8Array | null;
  /** Null if there is no demo. */
  readonly demo: () => WidgetDemo | null;
  readonly publicUrl: () => string;
}

/** Minutes, so that a fix reaches all pages soon; what a browser has is shown meanwhile and is asked for by its hash. */
const CACHE = 'public, max-age=600, stale-while-revalidate=86400';

/** Allows the script, its requests to this server and the page's own style. Nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  'worker-src blob:',
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The click-to-call widget as pages load it, and a page to try it on. */
export function widgetPages({ script, demo, publicUrl }: WidgetPagesOptions): Router {
  const router = Router();
  if (script !== null) router.get('/widget/v1.js', serveScript(script));
  router.get('/widget/demo', (req: Request, res: Response, next) => {
    const shown = demo();
    if (shown === null) {
      next();
      return;
    }
    res.setHeader('Content-Security-Policy', POLICY);
    res.setHeader('Cache-Control', 'no-cache');
    res.setHeader('Vary', 'Accept-Language');
    res.type('text/html; charset=utf-8').send(widgetDemoPage(shown, languageOf(req), publicUrl()));
  });
  return router;
}

function serveScript(script: Uint8Array): (req: Request, res: Response) => void {
  const bodies = { br: brotliCompressSync(script), gzip: gzipSync(script), identity: Buffer.from(script) };
  const hash = createHash('sha256').update(script).digest('base64url').slice(0, 22);
  return (req, res) => {
    const encoding = (['br', 'gzip'] as const).find((one) => req.acceptsEncodings(one) === one) ?? 'identity';
    res.setHeader('Cache-Control', CACHE);
    res.setHeader('ETag', `"${hash}-${encoding}"`);
    res.setHeader('Vary', 'Accept-Encoding');
    // Pages of any origin load it, also with `crossorigin` and `integrity`.
    res.setHeader('Access-Control-Allow-Origin', '*');
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (encoding !== 'identity') res.setHeader('Content-Encoding', encoding);
    res.type('text/javascript; charset=utf-8').send(bodies[encoding]);
  };
}
