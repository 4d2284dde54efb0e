import { Router, type Request, type Response } from 'express';
import { languageOf } from '../../http/request/language.js';
import { serveFile } from '../../pages/served-file.js';
import { widgetDemoPage, type WidgetDemo } from '../../pages/widget.js';

export interface WidgetPagesOptions {
  /** The built widget; null if it was not built, which answers 404. */
  readonly script: Uint8Array | null;
  /** The same of its chat. */
  readonly chat: Uint8Array | null;
  /** Null if there is no demo. */
  readonly demo: () => WidgetDemo | null;
  readonly publicUrl: () => string;
}

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
export function widgetPages({ script, chat, demo, publicUrl }: WidgetPagesOptions): Router {
  const router = Router();
  if (script !== null) router.get('/widget/v1.js', serveFile(script, 'text/javascript; charset=utf-8'));
  if (chat !== null) router.get('/widget/chat/v1.js', serveFile(chat, 'text/javascript; charset=utf-8'));
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
