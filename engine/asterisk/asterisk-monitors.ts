import { isId } from '../../core/model/ids.js';
import type { MonitorRequest, Monitors } from '../../core/ports/engine.js';
import { isGone, missingChannel, type AriHttp } from './ari/ari-http.js';
import { CALL_APP, type AriBridge } from './ari/ari-types.js';
import type { Arrivals } from './arrivals.js';
import type { AsteriskEcho } from './asterisk-echo.js';
import type { AsteriskHolds } from './asterisk-holds.js';
import type { AsteriskMedia } from './asterisk-media.js';
import type { BridgePlays } from './bridge-plays.js';
import { createBridge, destroyBridge } from './bridge-requests.js';
import type { EngineLink } from './ari/engine-link.js';
import type { LegRegistry } from './leg-registry.js';

const PREFIX = 'spy-';
/** Of a UUID. */
const ID_LENGTH = 36;

/** The leg that a spy serves, or a spy's bridge; null for any other channel or bridge. */
export function listenerOf(id: string): string | null {
  const legId = id.slice(PREFIX.length, PREFIX.length + ID_LENGTH);
  return id.startsWith(PREFIX) && isId(legId) ? legId : null;
}

/**
 * Who monitors is in a bridge with a snoop channel (the spy) of the other's channel. `spy-<leg id>-<when>` names the bridge, and so the
 * spy, so that any process can find and end them. A snoop cannot be changed: for another mode there is another one, and the one before goes when it is
 * there. Nothing here needs the application to be alive. Who begins anew has a bridge of another name: it meets none that is just going.
 */
export class AsteriskMonitors implements Monitors {
  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
    private readonly registry: LegRegistry,
    private readonly media: Pick<AsteriskMedia, 'stopAllOf'>,
    private readonly echoes: Pick<AsteriskEcho, 'leave'>,
    private readonly holds: Pick<AsteriskHolds, 'leave'>,
    private readonly plays: Pick<BridgePlays, 'mix'>,
    private readonly arrivals: Arrivals,
  ) {}

  async start({ legId, targetLegId, whispers }: MonitorRequest): Promise<void> {
    this.link.require();
    await this.media.stopAllOf(legId);
    await this.echoes.leave(legId);
    await this.holds.leave(legId);
    const spyId = `${PREFIX}${legId}-${Date.now().toString(36)}`;
    const leg = this.registry.leg(legId);
    const bridgeId = leg?.monitors ?? spyId;
    if (leg) leg.monitors = bridgeId;
    leg?.bridges?.add(bridgeId);
    try {
      await createBridge(this.http, bridgeId, 'mixing');
      await this.#snoop(this.registry.channelOf(targetLegId), spyId, whispers);
      await this.#enter(bridgeId, this.registry.channelOf(legId));
      await this.#enter(bridgeId, spyId);
      await this.#dismissOthers(bridgeId, [this.registry.channelOf(legId), spyId]);
      if (whispers) await this.#mixFor(this.registry.channelOf(targetLegId));
    } catch (error) {
      await this.#hangUp(spyId).catch(() => undefined);
      await this.stop(legId).catch(() => undefined);
      throw missingChannel(error);
    }
  }

  async #snoop(channelId: string, spyId: string, whispers: boolean): Promise<void> {
    const query = { spy: 'both', whisper: whispers ? 'out' : 'none', app: CALL_APP, appArgs: 'spy' };
    const arrival = this.arrivals.expect(spyId);
    try {
      await this.http.send('POST', `/channels/${channelId}/snoop/${spyId}`, { query });
      await arrival.arrived;
    } catch (error) {
      arrival.forget();
      throw error;
    }
  }

  /** Its digits are for the application. */
  async #enter(bridgeId: string, channelId: string): Promise<void> {
    await this.http.send('POST', `/bridges/${bridgeId}/addChannel`, {
      query: { channel: channelId, absorbDTMF: 'true' },
    });
  }

  async #dismissOthers(bridgeId: string, stay: readonly string[]): Promise<void> {
    const { channels } = await this.http.send<AriBridge>('GET', `/bridges/${bridgeId}`);
    for (const channelId of channels) if (!stay.includes(channelId)) await this.#hangUp(channelId);
  }

  /** A whisper is mixed into what its hearer is sent: there has to be something, whoever of the others is muted or gone. */
  async #mixFor(channelId: string): Promise<void> {
    const bridges = await this.http.send<readonly AriBridge[]>('GET', '/bridges');
    for (const { id, channels } of bridges) {
      if (isId(id) && channels.includes(channelId)) await this.plays.mix(id);
    }
  }

  async stop(legId: string): Promise<void> {
    this.link.require();
    const leg = this.registry.leg(legId);
    const bridgeId = leg?.monitors ?? null;
    if (leg) leg.monitors = null;
    if (bridgeId !== null) await this.remove(bridgeId, this.registry.channelOf(legId));
  }

  /** Before the leg goes elsewhere: its spy would stay behind alone. */
  async leave(legId: string): Promise<void> {
    if ((this.registry.leg(legId)?.monitors ?? null) !== null) await this.stop(legId);
  }

  /** The bridge with its spies. @param listener stays, alone */
  async remove(bridgeId: string, listener: string): Promise<void> {
    try {
      await this.#dismissOthers(bridgeId, [listener]);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    await destroyBridge(this.http, bridgeId, [listener]);
  }

  /** What is left of those whose leg is no more, and spies that never came to one. */
  async sweep(bridges: readonly AriBridge[], spyIds: readonly string[]): Promise<void> {
    const serving = new Set<string>();
    for (const { id, channels } of bridges) {
      const legId = listenerOf(id);
      if (legId === null) continue;
      const leg = this.registry.leg(legId);
      if (leg) {
        leg.monitors = id;
        for (const channelId of channels) serving.add(channelId);
      } else {
        await this.remove(id, legId);
      }
    }
    for (const spyId of spyIds) if (!serving.has(spyId)) await this.#hangUp(spyId);
  }

  async #hangUp(channelId: string): Promise<void> {
    try {
      await this.http.send('DELETE', `/channels/${channelId}`);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}
