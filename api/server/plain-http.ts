import express, { type Express, type NextFunction, type Request, type Response, type Router } from 'express';
import type { Logger } from '../../core/ports/logger.js';

export interface PlainHttpOptions {
  readonly routers: readonly Router[];
  readonly publicUrl: string;
  /** Whether the address may send another request now. */
  readonly admits: (address: string) => boolean;
  readonly logger: Logger;
}

/**
 * What is served over plain HTTP beside HTTPS: these routers, and for browsers the way to HTTPS. Anything else is refused:
 * a request that was sent in clear text may have contained a key.
 */
export function plainHttp({ routers, publicUrl, admits, logger }: PlainHttpOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', false);
  app.use((req: Request, res: Response, next: NextFunction) => {
    if (admits(req.ip ?? '')) next();
    else res.status(429).type('text/plain').send('too many requests\n');
  });
  for (const router of routers) app.use(router);
  const base = publicUrl.replace(/\/+$/, '');
  app.use((req: Request, res: Response) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.status(403).type('text/plain').send(`Use ${base}\n`);
      return;
    }
    res.redirect(308, `${base}${req.originalUrl.startsWith('/') ? req.originalUrl : '/'}`);
  });
  // Express recognizes an error handler by its four parameters.
  app.use((error: unknown, _req: Request, res: Response, next: NextFunction) => {
    logger.warn({ err: error }, 'a request over plain HTTP failed');
    if (res.headersSent) next(error);
    else res.status(503).type('text/plain').send('unavailable\n');
  });
  return app;
}
