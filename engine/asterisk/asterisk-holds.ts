import { missingChannel, type AriHttp } from './ari-http.js';
import { createBridge, destroyBridge } from './bridge-requests.js';
import type { LegBook } from './leg-book.js';

/** `hold-<leg id>` names the bridge, so that any process can find and end it. */
export const HOLD_PREFIX = 'hold-';

/**
 * A held leg is alone in a holding bridge that plays music. Each has its own: the music's player leaves a bridge as soon as nobody listens, so
 * in a shared one a leg that comes while another goes would hear nothing. Music begun on the leg itself would race with the leg's coming.
 */
export class AsteriskHolds {
  constructor(
    private readonly http: AriHttp,
    private readonly book: LegBook,
  ) {}

  async enter(legId: string): Promise<void> {
    const leg = this.book.leg(legId);
    if (leg) leg.held = true;
    const bridgeId = `${HOLD_PREFIX}${legId}`;
    try {
      await createBridge(this.http, bridgeId, 'holding');
      await this.http.send('POST', `/bridges/${bridgeId}/addChannel`, {
        query: { channel: this.book.channelOf(legId) },
      });
      await this.http.send('POST', `/bridges/${bridgeId}/moh`);
    } catch (error) {
      await this.leave(legId).catch(() => undefined);
      throw missingChannel(error);
    }
  }

  /** The leg stays, alone. Nothing happens when it is not held. */
  async leave(legId: string): Promise<void> {
    const leg = this.book.leg(legId);
    if (leg) leg.held = false;
    await destroyBridge(this.http, `${HOLD_PREFIX}${legId}`);
  }
}
