import { DatabaseUnavailable } from '../../data/errors.js';
import type { SoftphonePlace } from '../../data/repositories/engines/registrations.js';
import type { Destination } from '../../model/call/destinations.js';
import type { DialRoute, Routing } from './destinations.js';

/**
 * Routes as they are from one engine: a softphone that is registered at another one only is called through that one, as a trunk of the
 * engine's id. One that is registered nowhere is left to this engine, which refuses it.
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

  /** While the database is away most softphones are where the calls for them are. */
  async #places(aor: string): Promise<readonly SoftphonePlace[]> {
    try {
      return await this.placesOf(aor);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      return [];
    }
  }
}
