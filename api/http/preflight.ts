import type { NextFunction, Request, Response } from 'express';
import { failureReply } from './answer.js';
import type { ApiDeps } from './deps.js';
import { exchangeOf } from './exchange.js';
import { admitOrigin, admitPage, admitWidget } from './origin.js';
import type { Reply } from './reply.js';
import type { Route } from './route.js';

/** Request headers that pages may send. Cookies are not allowed. */
const HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID, X-Hatif-Mode, X-Hatif-Project, X-Request-Id, X-Simulate';
const REMEMBERED_SECONDS = 600;

/**
 * Answers the CORS preflight request of a browser (Fetch §3.2.2). Any other OPTIONS request is passed to `next`.
 * @param routes the routes of the path
 */
export async function preflight(
  deps: ApiDeps,
  routes: readonly Route[],
  req: Request,
  res: Response,
  next: NextFunction,
): Promise<Reply | null> {
  const method = req.get('access-control-request-method');
  const route = routes.find((one) => one.method === method);
  if (route === undefined || req.headers.origin === undefined) {
    next();
    return null;
  }
  const exchange = exchangeOf(req, res);
  exchange.route = route;
  try {
    if (route.forPages) admitPage(deps, req, res);
    else if (route.keyKind === 'widget') await admitWidget(deps, req, res, false);
    else admitOrigin(deps, req, res);
  } catch (error) {
    return failureReply(deps, exchange, error);
  }
  const headers = {
    'Access-Control-Allow-Methods': [...new Set(routes.map((one) => one.method))].join(', '),
    'Access-Control-Allow-Headers': HEADERS,
    'Access-Control-Max-Age': String(REMEMBERED_SECONDS),
  };
  return { status: 204, headers };
}
