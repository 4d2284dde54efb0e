import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { HatifError, type Phrase } from '../../core/model/errors/index.js';
import { arabic } from '../../core/model/wording/wording.js';
import { FREESWITCH_PATH } from '../routes/platform/freeswitch.js';
import { admitAddress } from '../http/admit.js';
import { answer, failureReply } from '../http/answer.js';
import { audit } from '../http/audit.js';
import type { ApiDeps } from '../http/deps.js';
import { preflight } from '../http/preflight.js';
import { beginExchange, exchangeOf, type Exchange } from '../http/exchange.js';
import { logExchange } from '../http/logging.js';
import type { Reply } from '../http/reply.js';
import type { Method, Route } from '../http/route.js';
import { send } from '../http/send.js';
import { endWithAccess } from '../http/still-admitted.js';
import { Areas } from './areas.js';

/** The HTTP application: every route of `deps.routes`, and the error envelope for other paths. */
export function createApp(deps: ApiDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('trust proxy', deps.trustProxy ?? []);
  // Hatif parses the query itself, so Express's parser is off.
  app.set('query parser', false);
  app.use((req: Request, res: Response, next: NextFunction) => {
    observe(deps, beginExchange(req, res), res);
    next();
  });
  app.use(securityHeaders(deps));
  app.use((req: Request, res: Response, next: NextFunction) => {
    if (!UNLIMITED.has(req.path)) admitAddress(deps, exchangeOf(req, res), res);
    next();
  });
  mount(app, deps);
  for (const router of deps.routers ?? []) app.use(router);
  app.use((req: Request) => {
    throw new HatifError('NOT_FOUND', { what: `${req.method} ${req.path}` });
  });
  // Express recognizes an error handler by its four parameters.
  app.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
    if (res.headersSent) next(error);
    else deliver(deps, req, res, failureReply(deps, exchangeOf(req, res), error));
  });
  return app;
}

/** Probes, scrapers and engines are never rate limited. */
const UNLIMITED: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics', FREESWITCH_PATH]);

function securityHeaders(deps: ApiDeps) {
  return helmet({
    // Pages that need more set their own policy.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // Sent only if the API is reached over HTTPS; elsewhere it would have no effect or do harm.
    strictTransportSecurity: deps.publicUrl().startsWith('https:') ? { maxAge: 31_536_000 } : false,
  });
}

function mount(app: Express, deps: ApiDeps): void {
  const areas = new Areas();
  app.use(areas.handler);
  for (const route of deps.routes) {
    areas
      .of(route.path)
      [VERBS[route.method]](route.path, (req: Request, res: Response) => serve(deps, route, req, res));
  }
  const paths = new Map<string, Route[]>();
  for (const route of deps.routes) paths.set(route.path, [...(paths.get(route.path) ?? []), route]);
  for (const [path, routes] of paths) {
    const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const area = areas.of(path);
    area.options(path, async (req: Request, res: Response, next: NextFunction) => {
      const reply = await preflight(deps, routes, req, res, next);
      if (reply) deliver(deps, req, res, reply);
    });
    area.all(path, (req: Request, res: Response) => {
      const allowed = [...new Set(methods)];
      res.setHeader('Allow', allowed.join(', '));
      throw new HatifError('NOT_FOUND', { what: otherMethod(req, allowed) }, { status: 405 });
    });
  }
}

/** Not every client shows headers, so the text names the methods of the path, too. */
function otherMethod({ method, path }: Request, allowed: readonly string[]): Phrase {
  const asked = `${method} ${path}`;
  return {
    en: `${asked} (this path has ${allowed.join(', ')})`,
    ar: arabic`${asked} (طرق هذا المسار: ${allowed})`,
  };
}

const VERBS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const satisfies Record<
  Method,
  string
>;

async function serve(deps: ApiDeps, route: Route, req: Request, res: Response): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => {
    // Aborting has a cost and is useless once the answer is sent.
    if (!res.writableFinished) gone.abort();
  });
  const streams = Object.values(route.responses).some((spec) => spec.contentType === 'text/event-stream');
  const ended = new AbortController();
  const signal = streams ? AbortSignal.any([gone.signal, deps.lifecycle.signal, ended.signal]) : gone.signal;
  if (route.deprecated) res.setHeader('Deprecation', `@${Math.floor(route.deprecated.getTime() / 1000)}`);
  if (route.sunset) res.setHeader('Sunset', route.sunset.toUTCString());
  const exchange = exchangeOf(req, res);
  const reply = await answer(deps, route, exchange, req, res, signal);
  if ('events' in reply) endWithAccess(deps, { route, exchange, req, signal }, () => ended.abort());
  deliver(deps, req, res, reply, signal);
}

function deliver(deps: ApiDeps, req: Request, res: Response, reply: Reply, signal = deps.lifecycle.signal): void {
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store');
  // Keeps clients from reusing this connection for the next request.
  if (deps.lifecycle.draining) res.setHeader('Connection', 'close');
  send(res, reply, signal).catch((error: unknown) => {
    deps.logger.error({ err: error, request_id: exchangeOf(req, res).requestId }, 'an answer could not be sent');
    res.destroy();
  });
}

/** Writes the log line, metrics and audit row of a request once the answer is sent or the client is gone. */
function observe(deps: ApiDeps, exchange: Exchange, res: Response): void {
  res.once('close', () => {
    const durationMs = performance.now() - exchange.startedMs;
    const status = res.writableFinished ? res.statusCode : CLIENT_GONE;
    deps.metrics.answered(exchange, status, durationMs);
    logExchange(deps.logger, exchange, status, durationMs);
    audit(deps.audit, exchange, status);
  });
}

/** nginx's number for a client that closed before the answer; used only in logs and metrics. */
const CLIENT_GONE = 499;
