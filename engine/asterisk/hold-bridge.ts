import { AriRefusal, isGone, missingChannel, type AriHttp } from './ari-http.js';
import { createBridge } from './bridge-requests.js';

/** The name of the one bridge for all held legs. */
const HOLD_BRIDGE = 'hatif-hold';

/**
 * Where held legs are: in a holding bridge each hears the music and nobody hears another. The music is the bridge's, played by a channel of
 * Asterisk's own to whoever is in it: begun on each leg, it raced with the leg's coming, and the role that lets a holding bridge begin it does
 * nothing for a leg that was dialled (the bridge in which Asterisk dials leaves it that role, without music).
 */
export class HoldBridge {
  constructor(private readonly http: AriHttp) {}

  async enter(channelId: string): Promise<void> {
    try {
      await this.#music();
    } catch (error) {
      if (!isGone(error)) throw error;
      // The bridge is made when first needed, and again after Asterisk restarted.
      await createBridge(this.http, HOLD_BRIDGE, 'holding');
      await this.#music();
    }
    try {
      await this.#send('addChannel', channelId);
    } catch (error) {
      throw missingChannel(error);
    }
  }

  /** Nothing happens when it is not there. */
  async leave(channelId: string): Promise<void> {
    try {
      await this.#send('removeChannel', channelId);
    } catch (error) {
      if (error instanceof AriRefusal && (error.status === 422 || error.status === 404)) return;
      throw missingChannel(error);
    }
  }

  /** Asked for again with each leg: it does nothing while the music plays. */
  async #music(): Promise<void> {
    await this.http.send('POST', `/bridges/${HOLD_BRIDGE}/moh`);
  }

  async #send(verb: 'addChannel' | 'removeChannel', channel: string): Promise<void> {
    await this.http.send('POST', `/bridges/${HOLD_BRIDGE}/${verb}`, { query: { channel } });
  }
}
