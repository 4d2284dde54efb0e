import type { Request } from 'express';
import type { ProjectRow } from '../../core/data/rows.js';
import { isScope } from '../../core/model/access/scopes.js';
import { HatifError, invalidField, type Phrase } from '../../core/model/errors/index.js';
import type { SignedIn } from '../../core/services/access/access-tokens.js';
import type { Caller, SignedInUser } from '../../core/services/access/caller.js';
import { bearerOf } from '../../core/services/access/invalid-key.js';
import { oneOf } from '../../core/services/accounts/acting-member.js';
import type { ApiDeps } from './deps.js';
import { NOBODY, type Exchange } from './exchange.js';
import { asHatifError } from './failures.js';
import { rolesOf, type Route } from './route.js';

/** Which project a signed-in user's request is about. */
export const PROJECT_HEADER = 'X-Hatif-Project';
/** Whether it is about live resources or those of the sandbox. */
export const MODE_HEADER = 'X-Hatif-Mode';

const PHRASES = {
  several: {
    en: 'is required, because you can use several projects',
    ar: 'مطلوبة لأن بإمكانك استخدام أكثر من مشروع',
  },
  none: { en: 'is required, but you cannot use any project', ar: 'مطلوبة، لكن لا يمكنك استخدام أي مشروع' },
  mode: { en: 'must be live or sandbox', ar: 'يجب أن تكون `live` أو `sandbox`' },
  secondFactor: {
    en: 'a second factor in this session (your organization requires it: set it up, or confirm with it)',
    ar: 'التحقق بخطوتين في هذه الجلسة (تشترطه مؤسستك: فعّله أو أكّد هويتك به)',
  },
  changes: {
    en: 'changes (an administrator who acts as a user may only read)',
    ar: 'إجراء التغييرات (المسؤول الذي يعمل باسم مستخدم يقرأ فقط)',
  },
} as const satisfies Record<string, Phrase>;

/** The user whose access token this is. @throws HatifError */
export async function signIn(deps: ApiDeps, exchange: Exchange, text: string): Promise<SignedIn> {
  const signedIn = await deps.accessTokens.authenticate(text);
  const { id, email, organizationId, impersonatedBy: administratorId } = signedIn.user;
  exchange.requester = { ...NOBODY, userId: id, administratorId, actor: email, organizationId };
  return signedIn;
}

/**
 * What to report of a failed request. A user that another process removed is known here for up to two seconds, and its
 * requests then fail in many ways: the reason is that the session is gone.
 */
export async function reasonOf(deps: ApiDeps, exchange: Exchange, req: Request, thrown: unknown): Promise<unknown> {
  if (exchange.requester.userId === null || asHatifError(thrown).code !== 'INTERNAL_ERROR') return thrown;
  const isGone = await deps.accessTokens.isGone(bearerOf(req.headers.authorization)).catch(() => false);
  return isGone ? new HatifError('INVALID_ACCESS_TOKEN') : thrown;
}

/**
 * The user with the project and mode that the request names.
 * @throws HatifError PROJECT_NOT_FOUND, PRODUCTION_TIER_REQUIRED, VALIDATION_ERROR
 */
export async function callerOf(deps: ApiDeps, exchange: Exchange, signedIn: SignedIn, req: Request): Promise<Caller> {
  const { user, organization } = signedIn;
  const project = projectOf(await deps.accessTokens.projectsOf(user), req.get(PROJECT_HEADER));
  exchange.requester = { ...exchange.requester, projectId: project.id };
  const isProduction = organization.account_kind === 'production';
  const kind = req.get(MODE_HEADER) ?? (isProduction ? 'live' : 'sandbox');
  if (kind !== 'live' && kind !== 'sandbox') throw invalidField(MODE_HEADER, PHRASES.mode);
  if (kind === 'live' && !isProduction) throw new HatifError('PRODUCTION_TIER_REQUIRED');
  return {
    id: user.id,
    name: user.name,
    kind,
    sandbox: kind === 'sandbox',
    scopes: new Set([...user.permissions].filter(isScope)),
    rateLimitPerMinute: null,
    projectId: project.id,
    organizationId: organization.id,
    project,
    organization,
    user,
  };
}

function projectOf(projects: readonly ProjectRow[], wanted: string | undefined): ProjectRow {
  if (wanted !== undefined) {
    const named = projects.find(({ id }) => id === wanted.toLowerCase());
    if (named === undefined) throw new HatifError('PROJECT_NOT_FOUND', { project_id: wanted });
    return named;
  }
  const [only, ...others] = projects;
  if (only === undefined) throw invalidField(PROJECT_HEADER, PHRASES.none);
  if (others.length > 0) throw invalidField(PROJECT_HEADER, PHRASES.several);
  return only;
}

/**
 * @throws HatifError INSUFFICIENT_ROLE, or INSUFFICIENT_PERMISSIONS without the second factor that the organization requires
 * and for a change by an administrator who acts as the user
 */
export function admitRole(route: Route, user: SignedInUser): void {
  const { method, whileImpersonated, enrols } = route;
  if (user.needsSecondFactor && !enrols) {
    throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: PHRASES.secondFactor });
  }
  if (user.impersonated && method !== 'GET' && !whileImpersonated) {
    throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: PHRASES.changes });
  }
  const roles = rolesOf(route);
  if (!roles.includes(user.role)) {
    throw route.refuseRole?.() ?? new HatifError('INSUFFICIENT_ROLE', { role: oneOf(roles) });
  }
}
