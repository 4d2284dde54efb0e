import type { EngineError, LegEndpoint } from '../../ports/engine.js';

const SUBSCRIBER_ABSENT = 20;
const NETWORK_OUT_OF_ORDER = 38;
const TEMPORARY_FAILURE = 41;

/** The Q.850 cause of a leg that the engine would not make. */
export function causeOfRefusal(error: EngineError, endpoint: LegEndpoint): number {
  if (error.kind === 'unreachable') return NETWORK_OUT_OF_ORDER;
  // What an engine says to a softphone that is not registered.
  if (error.kind === 'rejected' && endpoint.type === 'softphone') return SUBSCRIBER_ABSENT;
  return TEMPORARY_FAILURE;
}
