import { isGone, type AriHttp } from './ari/ari-http.js';
import { playSilence } from './bridge-requests.js';

const PREFIX = 'mix-';

/** Whether a playback is the silence that has a bridge mixed. */
export function isSilence(playbackId: string): boolean {
  return playbackId.startsWith(PREFIX);
}

/**
 * What is played into bridges. A bridge plays one thing after another: its silence (see {@link playSilence}) makes way for whatever is to be heard,
 * and comes back after it. For each bridge one request after another: Asterisk makes a channel for the first of them, and refuses one that comes
 * before it is made (`Allocation failed`, measured with 22.10).
 */
export class BridgePlays {
  /** Those that are to be mixed. */
  readonly #mixed = new Set<string>();
  /** What is heard last in each, as far as is known. */
  readonly #lastOf = new Map<string, string>();
  readonly #turns = new Map<string, Promise<void>>();

  constructor(private readonly http: AriHttp) {}

  /** The bridge is mixed from here on. A process before may have begun it. */
  async mix(bridgeId: string): Promise<void> {
    await this.#inTurn(bridgeId, async () => {
      if (this.#mixed.has(bridgeId)) return;
      // What plays is a third party, too, and the silence follows it.
      if (!this.#lastOf.has(bridgeId)) await this.#silence(bridgeId);
      this.#mixed.add(bridgeId);
    });
  }

  async play(bridgeId: string, playbackId: string, media: readonly string[]): Promise<void> {
    await this.#inTurn(bridgeId, async () => {
      await this.http.send('POST', `/bridges/${bridgeId}/play`, { body: { media, playbackId } });
      this.#lastOf.set(bridgeId, playbackId);
      try {
        await this.http.send('DELETE', `/playbacks/${PREFIX}${bridgeId}`);
        this.#mixed.add(bridgeId);
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    });
  }

  /** A playback is over, in a bridge or elsewhere. */
  onFinished(playbackId: string, targetId: string): void {
    if (this.#lastOf.get(targetId) !== playbackId) return;
    this.#lastOf.delete(targetId);
    if (!this.#mixed.has(targetId)) return;
    this.#inTurn(targetId, async () => {
      if (this.#mixed.has(targetId) && !this.#lastOf.has(targetId)) await this.#silence(targetId);
    }).catch(() => {
      // The bridge has gone, or the connection: then the next who comes has it mixed again.
      this.#mixed.delete(targetId);
    });
  }

  /** The bridge is no more. */
  forget(bridgeId: string): void {
    this.#mixed.delete(bridgeId);
    this.#lastOf.delete(bridgeId);
  }

  async #silence(bridgeId: string): Promise<void> {
    const playbackId = `${PREFIX}${bridgeId}`;
    try {
      await this.http.send('GET', `/playbacks/${playbackId}`);
    } catch (error) {
      if (!isGone(error)) throw error;
      await playSilence(this.http, bridgeId, playbackId);
    }
  }

  async #inTurn(bridgeId: string, request: () => Promise<void>): Promise<void> {
    const before = this.#turns.get(bridgeId) ?? Promise.resolve();
    const turn = before.then(request, request);
    this.#turns.set(bridgeId, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(bridgeId) === turn) this.#turns.delete(bridgeId);
    }
  }
}
