import type { Request, Response } from 'express';
import type { OrganizationRow } from '../../core/data/rows.js';
import { AccessTokens } from '../../core/services/access/access-tokens.js';
import type { Caller, SignedInUser } from '../../core/services/access/caller.js';
import { bearerOf } from '../../core/services/access/invalid-key.js';
import type { SignedInAdministrator } from '../../core/services/administration/signed-in.js';
import type { ScimClient } from '../../core/services/scim/gate.js';
import type { WidgetContext } from '../../core/services/widgets/gate.js';
import { HatifError } from '../../core/model/errors/index.js';
import { FLAG_DEFAULTS, flagOff, type FlagName } from '../../core/model/flags.js';
import { idFrom } from '../../core/model/ids.js';
import { admitRole, callerOf, signIn } from './admit-user.js';
import type { ApiDeps } from './deps.js';
import { NOBODY, type Exchange } from './exchange.js';
import { admitOrigin, admitPage, admitWidget } from './origin.js';
import { isOnThisMachine } from './request/on-this-machine.js';
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

/** The admitted client; members that the kind of the route does not use are null. */
export interface Admitted {
  readonly caller: Caller | null;
  readonly user: SignedInUser | null;
  readonly administrator: SignedInAdministrator | null;
  readonly widget: WidgetContext | null;
  readonly directory: ScimClient | null;
  /** Whose idempotency keys count; null: no client's. */
  readonly idempotencyOwner: string | null;
}

const NO_CLIENT: Admitted = {
  ...{ caller: null, user: null, administrator: null, widget: null, directory: null },
  idempotencyOwner: null,
};

/** Checks the page's origin, who makes the request, the rate limit, the feature flag and the scope. @throws HatifError */
export async function admit(
  deps: ApiDeps,
  route: Route,
  exchange: Exchange,
  req: Request,
  res: Response,
): Promise<Admitted> {
  const asked: Asked = { deps, route, exchange, req, res };
  switch (route.keyKind) {
    case 'none':
      if (route.usesCookies) admitOrigin(deps, req, res);
      if (route.forPages) admitPage(deps, req, res);
      requireFlag(deps, route, null);
      return NO_CLIENT;
    case 'widget':
      return { ...NO_CLIENT, widget: await admitVisitor(asked) };
    case 'scim':
      return { ...NO_CLIENT, directory: await admitDirectory(asked) };
    case 'administrator':
      return { ...NO_CLIENT, administrator: await admitAdministrator(asked) };
    case 'user': {
      const user = await admitPerson(asked);
      return { ...NO_CLIENT, user, idempotencyOwner: user.id };
    }
    default: {
      const caller = await admitCaller(asked);
      return { ...NO_CLIENT, caller, idempotencyOwner: ownerOf(caller) };
    }
  }
}

/** A request with all that the checks need. */
interface Asked {
  readonly deps: ApiDeps;
  readonly route: Route;
  readonly exchange: Exchange;
  readonly req: Request;
  readonly res: Response;
}

/** Checks the widget, the page, the rate limit of this address with this widget, and the flag. */
async function admitVisitor({ deps, route, exchange, req, res }: Asked): Promise<WidgetContext> {
  const widget = await admitWidget(deps, req, res, route.method === 'GET');
  const { id, name, project_id: projectId, organization_id: organizationId } = widget.row;
  exchange.requester = { ...NOBODY, keyId: id, actor: name, projectId, organizationId };
  const subject = `widget:${id}:${exchange.ip}`;
  applyAllowance(res, 'key', await deps.rateLimiter.take(subject, deps.limits.widgetPerMinute, WINDOW_SECONDS));
  requireFlag(deps, route, widget.organization);
  return widget;
}

async function admitAdministrator({ deps, route, exchange, req, res }: Asked): Promise<SignedInAdministrator> {
  admitOrigin(deps, req, res);
  if (deps.administrators === null) throw new HatifError('ADMIN_UNAUTHORIZED');
  const isLocal = isOnThisMachine(req, deps.publicUrl());
  const administrator = await deps.administrators.authenticate(req.headers.authorization, exchange.ip, isLocal);
  exchange.requester = { ...NOBODY, administratorId: administrator.id, actor: administrator.email };
  if (administrator.needsSecondFactor && !route.enrols) throw new HatifError('ADMIN_UNAUTHORIZED', {}, ENROL_FIRST);
  requireFlag(deps, route, null);
  return administrator;
}

/** Checks the token of a directory, the rate limits, and the flag. */
async function admitDirectory(asked: Asked): Promise<ScimClient> {
  const { deps, route, exchange, req, res } = asked;
  admitOrigin(deps, req, res);
  const directory = await deps.directories.authenticate(req.headers.authorization);
  const { tokenId, organizationId } = directory;
  exchange.requester = { ...NOBODY, keyId: tokenId, actor: 'SCIM', organizationId };
  await limit(asked, 'key', `scim:${tokenId}`, deps.limits.livePerMinute);
  requireFlag(deps, route, null);
  return directory;
}

const ENROL_FIRST = {
  details: [
    {
      path: 'totp',
      message: 'away from the machine itself, an administrator needs a second factor: set it up first',
      message_ar: 'يحتاج المسؤول إلى التحقق بخطوتين عند الدخول من جهاز آخر؛ فعّله أولًا',
    },
  ],
};

/** Checks page, session, rate limits, flag and permission of a route for people. */
async function admitPerson(asked: Asked): Promise<SignedInUser> {
  const { deps, route, exchange, req, res } = asked;
  admitOrigin(deps, req, res);
  const text = bearerOf(req.headers.authorization);
  if (!AccessTokens.isMeant(text)) {
    await deps.authenticator.authenticate(req.headers.authorization, exchange.ip);
    throw new HatifError('SESSION_REQUIRED');
  }
  const { user, organization } = await signIn(deps, exchange, text);
  await limit(asked, 'user', `user:${user.id}`, deps.limits.userPerMinute);
  requireFlag(deps, route, organization);
  admitRole(route, user);
  deps.accessTokens.touch(user, null);
  return user;
}

/** Checks page, key or session, rate limits, flag, scope and kind; last, fails if a sandbox caller requests a failure. */
async function admitCaller(asked: Asked): Promise<Caller> {
  const { deps, route, req, res } = asked;
  admitOrigin(deps, req, res);
  const text = bearerOf(req.headers.authorization);
  const caller = AccessTokens.isMeant(text) ? await userCaller(asked, text) : await keyCaller(asked);
  requireFlag(deps, route, caller.organization);
  if (caller.user !== null) admitRole(route, caller.user);
  else if (route.scope !== null && !caller.scopes.has(route.scope)) {
    throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: route.scope });
  }
  if (route.keyKind === 'live' && caller.sandbox) throw new HatifError('SANDBOX_KEY_NOT_ALLOWED');
  if (caller.user !== null) deps.accessTokens.touch(caller.user, caller.sandbox ? caller.projectId : null);
  if (caller.sandbox) simulate(res, simulationsOf(route), req.get(SIMULATE_HEADER));
  return caller;
}

/** Checks an API key and its rate limits. */
async function keyCaller(asked: Asked): Promise<Caller> {
  const { deps, exchange, req } = asked;
  const key = await deps.authenticator.authenticate(req.headers.authorization, exchange.ip);
  const { id, name, projectId, organizationId } = key;
  exchange.requester = { ...NOBODY, keyId: id, actor: name, projectId, organizationId };
  const perMinute = key.sandbox ? deps.limits.sandboxPerMinute : deps.limits.livePerMinute;
  await limit(asked, 'key', id, key.rateLimitPerMinute ?? perMinute);
  return key;
}

/** Checks a session, the rate limits of its user, and which project the request is about. */
async function userCaller(asked: Asked, text: string): Promise<Caller> {
  const { deps, exchange, req } = asked;
  const signedIn = await signIn(deps, exchange, text);
  await limit(asked, 'user', `user:${signedIn.user.id}`, deps.limits.userPerMinute);
  return callerOf(deps, exchange, signedIn, req);
}

/** Applies the limit of who makes the request, then that of the route. */
async function limit({ deps, route, res }: Asked, name: 'key' | 'user', subject: string, most: number): Promise<void> {
  applyAllowance(res, name, await deps.rateLimiter.take(subject, most, WINDOW_SECONDS));
  if (route.rateLimit === undefined) return;
  const ofRoute = `${subject}:${route.operationId}`;
  const allowance = await deps.rateLimiter.take(ofRoute, route.rateLimit.perMinute, WINDOW_SECONDS);
  // The own limit stays in the headers until the route's is used up.
  if (!allowance.allowed) applyAllowance(res, 'route', allowance);
}

/** A key's idempotency keys are its own. A user has others in each project, and in its sandbox. */
function ownerOf({ id, user, projectId, kind }: Caller): string {
  return user === null ? id : idFrom(id, `${projectId}:${kind}`);
}

function requireFlag(deps: ApiDeps, { flag, method, path }: Route, organization: OrganizationRow | null): void {
  if (flag === undefined || isOn(deps, flag, organization)) return;
  throw flagOff(flag, `${method} ${path}`);
}

function isOn({ flags }: ApiDeps, flag: FlagName, organization: OrganizationRow | null): boolean {
  return organization?.flags[flag] ?? flags[flag] ?? FLAG_DEFAULTS[flag];
}
