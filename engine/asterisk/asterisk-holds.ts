import { isId } from '../../core/model/ids.js';
import { missingChannel, type AriHttp } from './ari/ari-http.js';
import { createBridge, destroyBridge } from './bridge-requests.js';
import type { LegRegistry } from './leg-registry.js';

const PREFIX = 'hold-';
/** The length of a UUID. */
const ID_LENGTH = 36;

/** Returns the leg that a hold bridge serves; null for any other bridge. */
export function heldLegOf(bridgeId: string): string | null {
  const legId = bridgeId.slice(PREFIX.length, PREFIX.length + ID_LENGTH);
  return bridgeId.startsWith(PREFIX) && isId(legId) ? legId : null;
}

/**
 * A held leg is alone in a holding bridge that plays music. Each leg has its own bridge: the music player leaves a
 * bridge as soon as it has no listener, so that in a shared bridge a leg that joins while another leaves would hear
 * nothing. Music started on the leg itself would race with the leg's entry. The bridge is named
 * `hold-<leg id>-<time>`, so that any process can find and end it, and no new hold meets a bridge that is being destroyed.
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

  /** Takes the leg out of its hold bridge. Does nothing if the leg is not held. */
  async leave(legId: string): Promise<void> {
    const bridgeId = this.#note(legId, null);
    if (bridgeId !== null) await destroyBridge(this.http, bridgeId, [this.registry.channelOf(legId)]);
  }

  /** Destroys a hold bridge whose leg is gone. */
  async remove(bridgeId: string | null): Promise<void> {
    if (bridgeId !== null) await destroyBridge(this.http, bridgeId);
  }

  /** Sets the leg's hold bridge. @returns the previous one */
  #note(legId: string, bridgeId: string | null): string | null {
    const leg = this.registry.leg(legId);
    const before = leg?.held ?? null;
    if (leg) leg.held = bridgeId;
    return before;
  }
}
