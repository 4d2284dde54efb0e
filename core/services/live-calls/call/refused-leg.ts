import { Q850 } from '../../../model/call/hangup-cause.js';
import type { EngineError, LegEndpoint } from '../../../ports/engine.js';

/** Returns the Q.850 cause for a leg that the engine refused to originate. */
export function causeOfRefusal(error: EngineError, endpoint: LegEndpoint): number {
  if (error.kind === 'unreachable') return Q850.NETWORK_OUT_OF_ORDER;
  // Engines reject a softphone that is not registered.
  if (error.kind === 'rejected' && endpoint.type === 'softphone') return Q850.SUBSCRIBER_ABSENT;
  return Q850.TEMPORARY_FAILURE;
}
