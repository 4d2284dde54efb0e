import type { EngineWithLoad } from '../../data/repositories/engines/engines.js';
import type { SoftphonePlace } from '../../data/repositories/engines/registrations.js';
import { LIVE_KINDS, SANDBOX_KINDS, type EngineKind } from '../../model/engine-kinds.js';
import type { DialRoute } from '../routing/destinations.js';
import { chooseEngine } from './choice.js';

export interface PickEngineOptions {
  readonly offers: (kinds: readonly EngineKind[]) => Promise<readonly EngineWithLoad[]>;
  readonly placesOf: (aor: string) => Promise<readonly SoftphonePlace[]>;
}

/** Picks the engine for a new call. */
export class PickEngine {
  constructor(private readonly options: PickEngineOptions) {}

  /**
   * Picks an engine that can take a telephone call now: if possible one where a softphone on the call's routes is
   * registered (behind the SIP edge that is every engine), otherwise any.
   * @param routes the known routes of the call's legs, most important first
   */
  async live(routes: readonly (DialRoute | null)[]): Promise<EngineWithLoad | null> {
    const aors = routes.flatMap((route) => (route?.endpoint.type === 'softphone' ? [route.endpoint.aor] : []));
    const places = await Promise.all(aors.map((aor) => this.options.placesOf(aor)));
    const preferred = places.map((group) => group.map(({ engine_id }) => engine_id));
    return chooseEngine(await this.options.offers(LIVE_KINDS), LIVE_KINDS, preferred);
  }

  async sandbox(): Promise<EngineWithLoad | null> {
    return chooseEngine(await this.options.offers(SANDBOX_KINDS), SANDBOX_KINDS);
  }
}
