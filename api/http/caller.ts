import type { CallScope } from '../../core/data/repositories/calls/calls.js';
import type { ProjectKind } from '../../core/data/repositories/project-kind.js';
import type { CallRequester } from '../../core/services/calls/control.js';
import type { RouteContext } from './route.js';

type Request = Pick<RouteContext<'any' | 'live'>, 'caller' | 'requestId'>;

/** The resources that the caller may see. */
export function scopeOf({ caller }: Pick<Request, 'caller'>): CallScope {
  return { projectId: caller.projectId, sandboxOnly: caller.sandbox };
}

/** The kind of resources that the caller works on: live ones, or those of the sandbox. */
export function kindOf({ caller }: Pick<Request, 'caller'>): ProjectKind {
  return { projectId: caller.projectId, sandbox: caller.sandbox };
}

/** The client that sends a command to a live call. */
export function controllerOf({ caller, requestId }: Request): CallRequester {
  return { ...scopeOf({ caller }), requestId, keyId: caller.id };
}
