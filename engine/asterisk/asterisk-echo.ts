import { isGone, missingChannel, type AriHttp } from './ari/ari-http.js';
import type { Arrivals } from './arrivals.js';
import { CALL_APP } from './ari/ari-types.js';
import { createBridge, destroyBridge } from './bridge-requests.js';
import type { LegRegistry } from './leg-registry.js';

/** `echo-<leg id>` names the bridge and the helper channel, so that any process can find and end them. */
export const ECHO_PREFIX = 'echo-';

/**
 * Echoes a leg through a bridge with a helper: a Local channel whose far half runs Echo() in the dialplan. The leg
 * itself stays in the application, so that its digits still arrive. The echo also survives a restart of the application.
 */
export class AsteriskEcho {
  constructor(
    private readonly http: AriHttp,
    private readonly registry: LegRegistry,
    private readonly arrivals: Arrivals,
  ) {}

  async start(legId: string): Promise<void> {
    const leg = this.registry.leg(legId);
    if (leg?.echo) return;
    const id = `${ECHO_PREFIX}${legId}`;
    if (leg) leg.echo = true;
    leg?.bridges?.add(id);
    const arrival = this.arrivals.expect(id);
    try {
      await createBridge(this.http, id, 'mixing');
      // DTMF is for the application and must not be echoed.
      await this.http.send('POST', `/bridges/${id}/addChannel`, {
        query: { channel: this.registry.channelOf(legId), absorbDTMF: 'true' },
      });
      await this.http.send('POST', '/channels/create', {
        body: {
          endpoint: 'Local/s@hatif-echo/n',
          app: CALL_APP,
          appArgs: 'echo',
          channelId: id,
          otherChannelId: `${id}-far`,
        },
      });
      await arrival.arrived;
      await this.http.send('POST', `/bridges/${id}/addChannel`, { query: { channel: id } });
      await this.http.send('POST', `/channels/${id}/dial`);
    } catch (error) {
      arrival.forget();
      await this.stop(legId).catch(() => undefined);
      throw missingChannel(error);
    }
  }

  async stop(legId: string): Promise<void> {
    const leg = this.registry.leg(legId);
    if (leg) leg.echo = false;
    await this.remove(`${ECHO_PREFIX}${legId}`, [this.registry.channelOf(legId)]);
  }

  /** Call this before the leg moves to another bridge: otherwise its helper channel would stay behind. */
  async leave(legId: string): Promise<void> {
    if (this.registry.leg(legId)?.echo === true) await this.stop(legId);
  }

  /** @param keep channels in the bridge that must not end with it */
  async remove(id: string, keep: readonly string[] = []): Promise<void> {
    await destroyBridge(this.http, id, keep);
    try {
      await this.http.send('DELETE', `/channels/${id}`);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}
