import type { CallScope } from '../../core/data/repositories/calls/calls.js';
import type { CallRequester } from '../../core/services/calls/control.js';
import type { RouteContext } from './route.js';

type Caller = Pick<RouteContext<'any' | 'live'>, 'key' | 'requestId'>;

/** The resources that the caller's key may see. */
export function scopeOf({ key }: Pick<Caller, 'key'>): CallScope {
  return { projectId: key.projectId, sandboxOnly: key.sandbox };
}

/** The client that sends a command to a live call. */
export function controllerOf(caller: Caller): CallRequester {
  return { ...scopeOf(caller), requestId: caller.requestId, keyId: caller.key.id };
}
