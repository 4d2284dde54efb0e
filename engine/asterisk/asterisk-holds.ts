import { isId } from '../../core/model/ids.js';
import { missingChannel, type AriHttp } from './ari/ari-http.js';
import { createBridge, destroyBridge } from './bridge-requests.js';
import type { LegRegistry } from './leg-registry.js';

const PREFIX = 'hold-';
/** Of a UUID. */
const ID_LENGTH = 36;

/** The leg that a hold's bridge serves; null for any other bridge. */
export function heldIn(bridgeId: string): string | null {
  const legId = bridgeId.slice(PREFIX.length, PREFIX.length + ID_LENGTH);
  return bridgeId.startsWith(PREFIX) && isId(legId) ? legId : null;
}

/**
 * A held leg is alone in a holding bridge that plays music. Each has its own: the music's player leaves a bridge as soon as nobody listens, so
 * in a shared one a leg that comes while another goes would hear nothing. Music begun on the leg itself would race with the leg's coming.
 * `hold-<leg id>-<when>` names the bridge, so that any process can find and end it, and none meets one that is just going.
 */
export class AsteriskHolds {
  constructor(
    private readonly http: AriHttp,
    private readonly registry: LegRegistry,
  ) {}

  async enter(legId: string): Promise<void> {
    const bridgeId = `${PREFIX}${legId}-${Date.now().toString(36)}`;
    const before = this.#note(legId, bridgeId);
    try {
      await createBridge(this.http, bridgeId, 'holding');
      await this.http.send('POST', `/bridges/${bridgeId}/addChannel`, {
        query: { channel: this.registry.channelOf(legId) },
      });
      await this.http.send('POST', `/bridges/${bridgeId}/moh`);
    } catch (error) {
      await this.leave(legId).catch(() => undefined);
      throw missingChannel(error);
    } finally {
      await this.remove(before).catch(() => undefined);
    }
  }

  /** The leg stays, alone. Nothing happens when it is not held. */
  async leave(legId: string): Promise<void> {
    const bridgeId = this.#note(legId, null);
    if (bridgeId !== null) await destroyBridge(this.http, bridgeId, [this.registry.channelOf(legId)]);
  }

  /** One in which nobody is held any more. */
  async remove(bridgeId: string | null): Promise<void> {
    if (bridgeId !== null) await destroyBridge(this.http, bridgeId);
  }

  /** @returns where it was held before */
  #note(legId: string, bridgeId: string | null): string | null {
    const leg = this.registry.leg(legId);
    const before = leg?.held ?? null;
    if (leg) leg.held = bridgeId;
    return before;
  }
}
