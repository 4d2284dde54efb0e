import type { Request, Response } from 'express';
import type { HatifError } from '../../core/model/errors/index.js';
import { renderError } from '../../core/model/errors/index.js';
import { renderScimError } from '../../core/model/scim/error.js';
import { isKeepable } from '../../core/model/keepable-text.js';
import { admit, type Admitted } from './admit.js';
import { reasonOf } from './admit-user.js';
import { auditUnmasking, noteAudit } from './audit.js';
import { readBody, type ReadBody } from './body.js';
import { cookiesOf } from './request/cookies.js';
import { checkBoth, checkRequest, neverFound } from './check-request.js';
import type { ApiDeps } from './deps.js';
import type { Exchange } from './exchange.js';
import { asHatifError } from './failures.js';
import { once } from './once.js';
import { foreignOrigin } from './origin.js';
import { openChunks, openFile } from './open-file.js';
import { cursorCodec } from './paging.js';
import { isOpenedByPerson } from './request/opened-by-person.js';
import { givenOnce, readQuery } from './request/query.js';
import { isJson, type JsonReply, type Reply } from './reply.js';
import { isScimPath, SCIM_HEADERS } from './scim/form.js';
import { codesOf, COMMON_CODES, type Route, type RouteContext } from './route.js';
import { seesNumbers, unmask } from './unmask.js';

/** Longer ones are cut: sessions keep them. */
const LONGEST_USER_AGENT = 300;

/** Answers one request of a route: runs the checks in order, then the handler. Never rejects. */
export async function answer(
  deps: ApiDeps,
  route: Route,
  exchange: Exchange,
  req: Request,
  res: Response,
  signal: AbortSignal,
): Promise<Reply> {
  exchange.route = route;
  const failsafe = async <T extends Reply | null>(work: () => Promise<T>): Promise<T | JsonReply> => {
    try {
      return await work();
    } catch (error) {
      return failureReply(deps, exchange, await reasonOf(deps, exchange, req, error));
    }
  };
  return failsafe(async () => {
    const admitted = await admit(deps, route, exchange, req, res);
    const body = await readBody(route, req, res, deps.spool);
    const context = contextOf(deps, route, exchange, admitted, req, signal);
    const answered = once(deps, route, exchange, admitted.idempotencyOwner, body, req, {
      serve: () =>
        failsafe(async () => {
          const repeated = await route.repeated?.(body.value(), context);
          if (repeated) return repeated;
          const made = await route.handle(checkedContext(route, exchange, context, body, req));
          if ('chunks' in made) return openChunks(made, req);
          return 'file' in made ? openFile(made, req, res) : made;
        }),
      recover: (first) => failsafe(async () => (await route.recover?.(first, context)) ?? null),
    });
    const masked = await answered.finally(() => discard(deps, body));
    const reply = await unmask(deps, exchange, admitted.caller, masked);
    checkReply(deps, route, reply);
    const hasBody = isJson(reply) && reply.body !== undefined;
    return route.keyKind === 'scim' && hasBody ? { ...reply, headers: { ...reply.headers, ...SCIM_HEADERS } } : reply;
  });
}

async function discard(deps: ApiDeps, body: ReadBody): Promise<void> {
  try {
    await body.discard();
  } catch (error) {
    deps.logger.warn({ err: error }, 'an uploaded file could not be deleted');
  }
}

/** The error envelope, also stored in the exchange. */
export function failureReply(deps: ApiDeps, exchange: Exchange, thrown: unknown): JsonReply {
  const error = asHatifError(thrown);
  const { route } = exchange;
  exchange.failure = error;
  exchange.errorCode = error.code;
  if (route) {
    deps.observer?.errorProduced?.(error.code, route);
    if (!codesOf(route).includes(error.code) && !COMMON_CODES.includes(error.code)) undeclared(deps, route, error);
  }
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== null) headers['Retry-After'] = String(Math.ceil(error.retryAfterSeconds));
  // Engines authenticate differently from clients.
  const scheme = error.code === 'ENGINE_UNAUTHORIZED' ? 'Basic realm="hatif"' : 'Bearer';
  if (error.status === 401) headers['WWW-Authenticate'] = scheme;
  const { status } = error;
  if (isScimPath(exchange.path))
    return { status, body: renderScimError(error), headers: { ...headers, ...SCIM_HEADERS } };
  return { status, body: renderError(error, exchange.requestId, `${deps.publicUrl()}/docs`), headers };
}

function undeclared(deps: ApiDeps, route: Route, error: HatifError): void {
  const fields = { route: route.path, error_code: error.code, err: error };
  deps.metrics.undeclared(route.path, error.code);
  deps.logger.error(fields, 'a route returned an error code that it does not declare');
  deps.observer?.undeclaredError?.(error, route);
}

function contextOf(
  deps: ApiDeps,
  route: Route,
  exchange: Exchange,
  { caller, user, administrator, widget, directory }: Admitted,
  req: Request,
  signal: AbortSignal,
): RouteContext {
  const { requestId, ip } = exchange;
  return {
    requestId,
    caller,
    user,
    administrator,
    widget,
    directory,
    params: {},
    query: {},
    body: {},
    file: null,
    raw: null,
    ip,
    accept: req.get('accept') ?? '',
    userAgent: (req.get('user-agent') ?? '').slice(0, LONGEST_USER_AGENT),
    isPrivate: exchange.isPrivate,
    isPerson: isOpenedByPerson(req),
    isUnasked: isUnasked(req),
    origin: foreignOrigin(deps, req),
    cookies: cookiesOf(req.headers.cookie),
    lastEventId: req.get('last-event-id') ?? null,
    ifMatch: req.get('if-match') ?? null,
    signal,
    mayUnmask: async () => {
      if (administrator === null && (caller === null || !seesNumbers(caller))) return false;
      await auditUnmasking(deps.audit, exchange, 200);
      return true;
    },
    note: (more) => noteAudit(exchange, more),
    cursors: cursorCodec(deps.cipher, `${route.operationId}:${caller?.projectId ?? user?.id ?? ''}`),
  };
}

/** By what browsers say of each request (Fetch Metadata). Programs, and addresses that a person opens, say nothing of it. */
function isUnasked(req: Request): boolean {
  const site = req.get('sec-fetch-site') ?? 'none';
  return (site === 'cross-site' || site === 'same-site') && req.get('sec-fetch-user') !== '?1';
}

/** Checks the query, the body and last the path: an unknown ID is reported only if the rest of the request is valid. */
function checkedContext(
  route: Route,
  exchange: Exchange,
  context: RouteContext,
  body: ReadBody,
  req: Request,
): RouteContext {
  const raw = body.value();
  noteBody(exchange, route, raw);
  return {
    ...context,
    ...checkedInput(route, givenOnce(readQuery(req.url)), raw),
    params: checkPath(route, exchange, req),
    file: body.file,
    raw: route.readsRaw && body.bytes ? { headers: headersOf(req), body: body.bytes } : null,
  };
}

function checkedInput(route: Route, query: unknown, body: unknown): Pick<RouteContext, 'query' | 'body'> {
  if (route.readsRaw) return { query: checkRequest(route.query, query), body: {} };
  return checkBoth([route.query, query], [route.body, body]);
}

/**
 * Checks the parameters of the path. No resource has a name that PostgreSQL cannot store: `%00` is not found.
 * @throws HatifError the parameter's own code, or NOT_FOUND
 */
function checkPath(route: Route, { method, path }: Exchange, { params }: Request): unknown {
  const checked = checkRequest(route.params, { ...params });
  const unknown = Object.values(params)
    .map(String)
    .find((text) => !isKeepable(text));
  if (unknown !== undefined) throw neverFound(route.errors, unknown, `${method} ${path}`);
  return checked;
}

function headersOf({ headers }: Request): Readonly<Record<string, string>> {
  const single = Object.entries(headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value[0] : value] as const,
  );
  return Object.fromEntries(single.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

/** Audit data of a body: the members' names, and the values that the route declares in `auditFields`. */
function noteBody(exchange: Exchange, route: Route, raw: unknown): void {
  if (typeof raw !== 'object' || raw === null) return;
  const names = Object.keys(raw);
  if (names.length > 0) exchange.details.fields = names.slice(0, 50).map((name) => name.slice(0, 64));
  const shown = Object.entries(raw).filter(([name]) => route.auditFields?.includes(name));
  if (shown.length > 0) exchange.details.values = Object.fromEntries(shown);
}

function checkReply({ observer }: ApiDeps, route: Route, reply: Reply): void {
  if (!observer?.responseMismatch || 'raw' in reply || 'events' in reply || reply.status >= 400) return;
  const spec = route.responses[reply.status];
  if (spec === undefined) {
    observer.responseMismatch(route, reply.status, 'the status is not declared');
    return;
  }
  if ('stream' in reply) return;
  const result = spec.schema?.safeParse(reply.body);
  if (result?.success === false) observer.responseMismatch(route, reply.status, result.error.message);
}
