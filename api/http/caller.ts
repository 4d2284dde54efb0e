import type { CallScope } from '../../core/data/repositories/calls/calls.js';
import type { ProjectKind } from '../../core/data/repositories/project-kind.js';
import { rolesWith, seesOwnRowsOnly, type Permission } from '../../core/model/access/roles.js';
import { HatifError } from '../../core/model/errors/index.js';
import type { Caller } from '../../core/services/access/caller.js';
import { oneOf } from '../../core/services/accounts/acting-member.js';
import { unknownAgent } from '../../core/services/agents/agents.js';
import type { CallRequester } from '../../core/services/calls/control.js';
import type { RouteContext } from './route.js';

type Request = Pick<RouteContext<'any' | 'live'>, 'caller' | 'requestId'>;

/** The resources that the caller may see. */
export function scopeOf({ caller }: Pick<Request, 'caller'>): CallScope {
  return { projectId: caller.projectId, sandboxOnly: caller.sandbox, agent: ownAgentOf(caller) };
}

/**
 * The extension of a caller who sees and controls only own rows; null for everybody else. A member without an extension
 * has no rows.
 */
export function ownAgentOf({ user }: Pick<Caller, 'user'>): string | null {
  return user !== null && seesOwnRowsOnly(user.role) ? (user.agent ?? '') : null;
}

/** @throws HatifError NOT_FOUND if the caller sees the own agent only, and this is another one */
export function assertVisible(caller: Pick<Caller, 'user'>, agent: string): void {
  const own = ownAgentOf(caller);
  if (own !== null && own !== agent) throw unknownAgent(agent);
}

/** @throws HatifError INSUFFICIENT_ROLE if the caller may do this for the own agent only, and this is another one */
export function assertOwnAgent(caller: Pick<Caller, 'user'>, agent: string, permission: Permission): void {
  const own = ownAgentOf(caller);
  if (own !== null && own !== agent) throw notOnlyOwn(permission);
}

/** What the role may do for own rows only concerns others. */
export function notOnlyOwn(permission: Permission): HatifError<'INSUFFICIENT_ROLE'> {
  const roles = rolesWith(permission).filter((role) => !seesOwnRowsOnly(role));
  return new HatifError('INSUFFICIENT_ROLE', { role: oneOf(roles) });
}

/** The kind of resources that the caller works on: live ones, or those of the sandbox. */
export function kindOf({ caller }: Pick<Request, 'caller'>): ProjectKind {
  return { projectId: caller.projectId, sandbox: caller.sandbox };
}

/** The client that sends a command to a live call. */
export function controllerOf({ caller, requestId }: Request): CallRequester {
  return { ...scopeOf({ caller }), requestId, keyId: caller.id };
}
