import { Q850 } from '../../../model/call/hangup-cause.js';
import type { EngineError, LegEndpoint } from '../../../ports/engine.js';

/** The Q.850 cause of a leg that the engine would not make. */
export function causeOfRefusal(error: EngineError, endpoint: LegEndpoint): number {
  if (error.kind === 'unreachable') return Q850.NETWORK_OUT_OF_ORDER;
  // What an engine says to a softphone that is not registered.
  if (error.kind === 'rejected' && endpoint.type === 'softphone') return Q850.SUBSCRIBER_ABSENT;
  return Q850.TEMPORARY_FAILURE;
}
