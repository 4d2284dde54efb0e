import type { Request, Response } from 'express';
import { HatifError } from '../../core/model/errors/index.js';
import { FLAG_DEFAULTS, flagOff, type FlagName } from '../../core/model/flags.js';
import type { OrganizationRow } from '../../core/data/rows.js';
import type { Caller } from '../../core/services/access/caller.js';
import type { WidgetContext } from '../../core/services/widgets/gate.js';
import type { ApiDeps } from './deps.js';
import type { Exchange } from './exchange.js';
import { admitOrigin, admitWidget } from './origin.js';
import { applyAllowance } from './rate-headers.js';
import { simulationsOf, type Route } from './route.js';
import { simulate, SIMULATE_HEADER } from './simulate.js';

const WINDOW_SECONDS = 60;

/**
 * Applies the rate limit of the client's address, before any other check.
 * @throws HatifError RATE_LIMIT_EXCEEDED.
 */
export function admitAddress(deps: ApiDeps, exchange: Exchange, res: Response): void {
  const allowance = deps.addressLimiter.takeNow(exchange.ip, deps.limits.addressPerMinute, WINDOW_SECONDS);
  applyAllowance(res, 'address', allowance);
}

/** The admitted client; both null on a route without a key. */
export interface Admitted {
  readonly caller: Caller | null;
  readonly widget: WidgetContext | null;
}

/** Checks the page's origin, the key, its rate limit, the feature flag and the scope. @throws HatifError */
export async function admit(
  deps: ApiDeps,
  route: Route,
  exchange: Exchange,
  req: Request,
  res: Response,
): Promise<Admitted> {
  switch (route.keyKind) {
    case 'none':
      requireFlag(deps, route, null);
      return { caller: null, widget: null };
    case 'widget':
      return { caller: null, widget: await admitVisitor(deps, route, exchange, req, res) };
    default:
      return { caller: await admitKey(deps, route, exchange, req, res), widget: null };
  }
}

/** Checks the widget, the page, the rate limit of this address with this widget, and the flag. */
async function admitVisitor(
  deps: ApiDeps,
  route: Route,
  exchange: Exchange,
  req: Request,
  res: Response,
): Promise<WidgetContext> {
  const widget = await admitWidget(deps, req, res, route.method === 'GET');
  const { id, project_id: projectId, organization_id: organizationId } = widget.row;
  exchange.requester = { id, projectId, organizationId };
  const subject = `widget:${id}:${exchange.ip}`;
  applyAllowance(res, 'key', await deps.rateLimiter.take(subject, deps.limits.widgetPerMinute, WINDOW_SECONDS));
  requireFlag(deps, route, widget.organization);
  return widget;
}

/** Checks page, key, rate limits, flag, scope and key kind; last, fails if a sandbox key requests a failure. */
async function admitKey(deps: ApiDeps, route: Route, exchange: Exchange, req: Request, res: Response): Promise<Caller> {
  admitOrigin(deps, req, res);
  const key = await deps.authenticator.authenticate(req.headers.authorization, exchange.ip);
  exchange.requester = key;
  const perMinute = key.sandbox ? deps.limits.sandboxPerMinute : deps.limits.livePerMinute;
  const limit = key.rateLimitPerMinute ?? perMinute;
  applyAllowance(res, 'key', await deps.rateLimiter.take(key.id, limit, WINDOW_SECONDS));
  if (route.rateLimit !== undefined) {
    const subject = `${key.id}:${route.operationId}`;
    const allowance = await deps.rateLimiter.take(subject, route.rateLimit.perMinute, WINDOW_SECONDS);
    // The key's own limit stays in the headers until the route's is used up.
    if (!allowance.allowed) applyAllowance(res, 'route', allowance);
  }
  requireFlag(deps, route, key.organization);
  if (route.scope !== null && !key.scopes.has(route.scope)) {
    throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: route.scope });
  }
  if (route.keyKind === 'live' && key.sandbox) throw new HatifError('SANDBOX_KEY_NOT_ALLOWED');
  if (key.sandbox) simulate(simulationsOf(route), req.get(SIMULATE_HEADER));
  return key;
}

function requireFlag(deps: ApiDeps, { flag, method, path }: Route, organization: OrganizationRow | null): void {
  if (flag === undefined || isOn(deps, flag, organization)) return;
  throw flagOff(flag, `${method} ${path}`);
}

function isOn({ flags }: ApiDeps, flag: FlagName, organization: OrganizationRow | null): boolean {
  return organization?.flags[flag] ?? flags[flag] ?? FLAG_DEFAULTS[flag];
}
