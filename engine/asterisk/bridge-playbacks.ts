import { isGone, type AriHttp } from './ari/ari-http.js';
import { playSilence } from './bridge-requests.js';

const PREFIX = 'mix-';

/** Whether a playback is the endless silence that keeps a bridge mixed. */
export function isSilence(playbackId: string): boolean {
  return playbackId.startsWith(PREFIX);
}

/**
 * Plays into bridges. A bridge plays one thing at a time: its silence (see {@link playSilence}) makes way for audible
 * playbacks and resumes after them. Requests for the same bridge are serialized: Asterisk creates a channel for the
 * first playback, and refuses another one sent before that channel exists (`Allocation failed`, measured with 22.10).
 */
export class BridgePlaybacks {
  /** The bridges to keep mixed. */
  readonly #mixed = new Set<string>();
  /** The last queued playback of each bridge, if known. */
  readonly #lastPlayback = new Map<string, string>();
  readonly #pending = new Map<string, Promise<void>>();

  constructor(private readonly http: AriHttp) {}

  /** Keeps the bridge mixed from now on. An earlier process may have started the silence already. */
  async mix(bridgeId: string): Promise<void> {
    await this.#serialize(bridgeId, async () => {
      if (this.#mixed.has(bridgeId)) return;
      // A running playback is a third party as well; the silence follows it.
      if (!this.#lastPlayback.has(bridgeId)) await this.#silence(bridgeId);
      this.#mixed.add(bridgeId);
    });
  }

  async play(bridgeId: string, playbackId: string, media: readonly string[]): Promise<void> {
    await this.#serialize(bridgeId, async () => {
      await this.http.send('POST', `/bridges/${bridgeId}/play`, { body: { media, playbackId } });
      this.#lastPlayback.set(bridgeId, playbackId);
      try {
        await this.http.send('DELETE', `/playbacks/${PREFIX}${bridgeId}`);
        this.#mixed.add(bridgeId);
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    });
  }

  /** Handles the end of a playback, in a bridge or elsewhere. */
  onFinished(playbackId: string, targetId: string): void {
    if (this.#lastPlayback.get(targetId) !== playbackId) return;
    this.#lastPlayback.delete(targetId);
    if (!this.#mixed.has(targetId)) return;
    this.#serialize(targetId, async () => {
      if (this.#mixed.has(targetId) && !this.#lastPlayback.has(targetId)) await this.#silence(targetId);
    }).catch(() => {
      // The bridge or the connection is gone. The next leg that is added turns mixing on again.
      this.#mixed.delete(targetId);
    });
  }

  /** Drops the state of a destroyed bridge. */
  forget(bridgeId: string): void {
    this.#mixed.delete(bridgeId);
    this.#lastPlayback.delete(bridgeId);
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

  async #serialize(bridgeId: string, request: () => Promise<void>): Promise<void> {
    const before = this.#pending.get(bridgeId) ?? Promise.resolve();
    const turn = before.then(request, request);
    this.#pending.set(bridgeId, turn);
    try {
      await turn;
    } finally {
      if (this.#pending.get(bridgeId) === turn) this.#pending.delete(bridgeId);
    }
  }
}
