import type { Request, Response } from 'express';
import { newId } from '../../core/model/ids.js';
import type { HatifError } from '../../core/model/errors/index.js';
import { isFromThisMachine } from './request/on-this-machine.js';
import type { Route } from './route.js';

/** Who makes a request, and whose account it is about. */
export interface Requester {
  /** The API key, or the key of a widget. */
  readonly keyId: string | null;
  readonly userId: string | null;
  readonly administratorId: string | null;
  /** The name of the key, or the e-mail address of the person. */
  readonly actor: string | null;
  readonly projectId: string | null;
  readonly organizationId: string | null;
}

export const NOBODY: Requester = {
  keyId: null,
  userId: null,
  administratorId: null,
  actor: null,
  projectId: null,
  organizationId: null,
};

/** Data of one request, collected for its log line, its metrics and its audit row. */
export interface Exchange {
  readonly requestId: string;
  readonly startedMs: number;
  readonly method: string;
  /** Without the query, which may contain phone numbers. */
  readonly path: string;
  readonly ip: string;
  /** Whether nobody on the way could read the request: it came over TLS, or from this machine. */
  readonly isPrivate: boolean;
  route: Route | null;
  requester: Requester;
  failure: HatifError | null;
  /** The error code of the answer, including replayed answers. */
  errorCode: string | null;
  /** Data for the audit row. */
  details: Record<string, unknown>;
  /** Whether the audit row is stored: before the answer, if that shows full numbers. */
  isAudited: boolean;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const exchanges = new WeakMap<Response, Exchange>();

/** Creates the exchange of a request. A client's own request ID is used if it is well formed. */
export function beginExchange(req: Request, res: Response): Exchange {
  const own = req.headers['x-request-id'];
  const exchange: Exchange = {
    requestId: typeof own === 'string' && REQUEST_ID.test(own) ? own : newId(),
    startedMs: performance.now(),
    method: req.method,
    path: pathOf(req.originalUrl),
    // A dual-stack socket shows IPv4 clients as `::ffff:…`.
    ip: (req.ip ?? '').replace(/^::ffff:(?=\d+\.)/, ''),
    // Express trusts X-Forwarded-Proto of the proxies in `trust proxy` only.
    isPrivate: req.secure || isFromThisMachine(req),
    route: null,
    requester: NOBODY,
    failure: null,
    errorCode: null,
    details: {},
    isAudited: false,
  };
  exchanges.set(res, exchange);
  res.setHeader('X-Request-Id', exchange.requestId);
  return exchange;
}

/** The exchange that {@link beginExchange} made for this response. */
export function exchangeOf(req: Request, res: Response): Exchange {
  return exchanges.get(res) ?? beginExchange(req, res);
}

/** The path of a request target, without a trailing slash, as used for idempotency keys and logs. */
function pathOf(target: string): string {
  const path = target.split('?', 1)[0] ?? '/';
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
