import type { Destination } from '../../model/call/destinations.js';
import type { DialRoute, Routing } from '../routing/destinations.js';

/**
 * Routes all sandbox calls to the simulator: every number, agent and SIP address can be called free of charge, without
 * a trunk or a registered softphone.
 */
export class SandboxRouting implements Routing {
  routeTo(_projectId: string, to: Destination): Promise<DialRoute | null> {
    return Promise.resolve(routeOf(to));
  }
}

function routeOf(to: Destination): DialRoute | null {
  switch (to.type) {
    case 'number': {
      const endpoint = { type: 'trunk', trunkId: 'sandbox', number: to.target } as const;
      return { endpoint, number: to.target, billable: false, agent: null };
    }
    case 'agent':
      return { endpoint: sip(`sip:${to.target}@sandbox.invalid`), number: null, billable: false, agent: to.target };
    case 'sip':
      return { endpoint: sip(to.target), number: null, billable: false, agent: null };
    default:
      return null;
  }
}

function sip(uri: string): Extract<DialRoute['endpoint'], { type: 'sip' }> {
  return { type: 'sip', uri };
}
