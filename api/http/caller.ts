import type { CallScope } from '../../core/data/repositories/calls/calls.js';
import type { ProjectKind } from '../../core/data/repositories/project-kind.js';
import type { CallRequester } from '../../core/services/calls/control.js';
import type { RouteContext } from './route.js';

type Caller = Pick<RouteContext<'any' | 'live'>, 'key' | 'requestId'>;

/** The resources that the caller's key may see. */
export function scopeOf({ key }: Pick<Caller, 'key'>): CallScope {
  return { projectId: key.projectId, sandboxOnly: key.sandbox };
}

/** The kind of resources that the caller's key owns: live ones, or those of the sandbox. */
export function kindOf({ key }: Pick<Caller, 'key'>): ProjectKind {
  return { projectId: key.projectId, sandbox: key.sandbox };
}

/** The client that sends a command to a live call. */
export function controllerOf(caller: Caller): CallRequester {
  return { ...scopeOf(caller), requestId: caller.requestId, keyId: caller.key.id };
}
