import { unlessUnavailable } from '../../data/errors.js';
import type { SoftphonePlace } from '../../data/repositories/engines/registrations.js';
import type { Destination } from '../../model/call/destinations.js';
import type { DialRoute, Routing } from './destinations.js';

/**
 * Routes as seen from one engine: a softphone that is registered only at another engine is called through that engine,
 * as a trunk with the engine's id. A softphone that is registered nowhere is routed to this engine, which rejects the
 * leg.
 */
export class PeerRouting implements Routing {
  constructor(
    private readonly engineId: string,
    private readonly routing: Routing,
    private readonly placesOf: (aor: string) => Promise<readonly SoftphonePlace[]>,
  ) {}

  async routeTo(projectId: string, to: Destination): Promise<DialRoute | null> {
    const route = await this.routing.routeTo(projectId, to);
    if (route?.endpoint.type !== 'softphone') return route;
    const { aor } = route.endpoint;
    const places = await this.#places(aor);
    if (places.some(({ engine_id }) => engine_id === this.engineId)) return route;
    const elsewhere = places.find(({ dialable }) => dialable);
    if (!elsewhere) return route;
    return { ...route, endpoint: { type: 'trunk', trunkId: elsewhere.engine_id, number: aor, aor } };
  }

  /**
   * While the database is unavailable, assume that softphones are registered here, where most calls for them arrive.
   */
  #places(aor: string): Promise<readonly SoftphonePlace[]> {
    return unlessUnavailable(this.placesOf(aor), () => []);
  }
}
