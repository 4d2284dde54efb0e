import { isId } from '../../core/model/ids.js';
import type { MonitorRequest, Monitors } from '../../core/ports/engine.js';
import { isGone, missingChannel, type AriHttp } from './ari/ari-http.js';
import { CALL_APP, type AriBridge } from './ari/ari-types.js';
import type { Arrivals } from './arrivals.js';
import type { AsteriskEcho } from './asterisk-echo.js';
import type { AsteriskHolds } from './asterisk-holds.js';
import type { AsteriskMedia } from './asterisk-media.js';
import type { BridgePlaybacks } from './bridge-playbacks.js';
import { createBridge, destroyBridge } from './bridge-requests.js';
import type { EngineLink } from './ari/engine-link.js';
import type { LegRegistry } from './leg-registry.js';

const PREFIX = 'spy-';
/** The length of a UUID. */
const ID_LENGTH = 36;

/** Returns the monitoring leg that a snoop channel or its bridge serves; null for any other channel or bridge. */
export function monitoringLegOf(id: string): string | null {
  const legId = id.slice(PREFIX.length, PREFIX.length + ID_LENGTH);
  return id.startsWith(PREFIX) && isId(legId) ? legId : null;
}

/**
 * A monitoring leg is in a bridge with a snoop channel (the spy) of the monitored channel. `spy-<leg id>-<time>` names
 * the bridge and the spy, so that any process can find and end them. The mode of a snoop channel cannot change: for
 * another mode a new spy replaces the old one, which is hung up once the new one has joined. Monitoring survives a
 * restart of the application. A leg that starts monitoring again gets a bridge with a new name, so that it never meets
 * one that is being destroyed.
 */
export class AsteriskMonitors implements Monitors {
  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
    private readonly registry: LegRegistry,
    private readonly media: Pick<AsteriskMedia, 'stopAllOf'>,
    private readonly echoes: Pick<AsteriskEcho, 'leave'>,
    private readonly holds: Pick<AsteriskHolds, 'leave'>,
    private readonly bridgePlaybacks: Pick<BridgePlaybacks, 'mix'>,
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
      await this.#hangUpOthers(bridgeId, [this.registry.channelOf(legId), spyId]);
      if (whispers) await this.#enableMixingFor(this.registry.channelOf(targetLegId));
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

  /** DTMF is absorbed: it is for the application. */
  async #enter(bridgeId: string, channelId: string): Promise<void> {
    await this.http.send('POST', `/bridges/${bridgeId}/addChannel`, {
      query: { channel: channelId, absorbDTMF: 'true' },
    });
  }

  async #hangUpOthers(bridgeId: string, stay: readonly string[]): Promise<void> {
    const { channels } = await this.http.send<AriBridge>('GET', `/bridges/${bridgeId}`);
    for (const channelId of channels) if (!stay.includes(channelId)) await this.#hangUp(channelId);
  }

  /** A whisper is mixed into the audio that its listener receives, so there must be audio even if the other parties are muted or gone. */
  async #enableMixingFor(channelId: string): Promise<void> {
    const bridges = await this.http.send<readonly AriBridge[]>('GET', '/bridges');
    for (const { id, channels } of bridges) {
      if (isId(id) && channels.includes(channelId)) await this.bridgePlaybacks.mix(id);
    }
  }

  async stop(legId: string): Promise<void> {
    this.link.require();
    const leg = this.registry.leg(legId);
    const bridgeId = leg?.monitors ?? null;
    if (leg) leg.monitors = null;
    if (bridgeId !== null) await this.remove(bridgeId, this.registry.channelOf(legId));
  }

  /** Call this before the leg moves to another bridge: otherwise its spy would stay behind. */
  async leave(legId: string): Promise<void> {
    if ((this.registry.leg(legId)?.monitors ?? null) !== null) await this.stop(legId);
  }

  /** Destroys the bridge and hangs up its spies. @param listener the channel to keep */
  async remove(bridgeId: string, listener: string): Promise<void> {
    try {
      await this.#hangUpOthers(bridgeId, [listener]);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    await destroyBridge(this.http, bridgeId, [listener]);
  }

  /** Removes the bridges whose leg has ended, and spies that never joined a bridge. */
  async sweep(bridges: readonly AriBridge[], spyIds: readonly string[]): Promise<void> {
    const serving = new Set<string>();
    for (const { id, channels } of bridges) {
      const legId = monitoringLegOf(id);
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
