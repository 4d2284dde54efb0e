import { EngineError, type Media, type PlayRequest } from '../../core/ports/engine.js';
import { isGone, type AriHttp } from './ari/ari-http.js';
import { untilReady } from './ari/until-ready.js';
import type { BridgePlaybacks } from './bridge-playbacks.js';
import type { EngineLink } from './ari/engine-link.js';
import type { LegRegistry } from './leg-registry.js';
import type { MediaUris } from './media-uri.js';
import type { PlaybackRegistry } from './playback-registry.js';

/** Asterisk takes all items of a playback in one request. */
const MAX_ITEMS = 500;
/**
 * Asterisk reports a playback as started a moment before it can stop it; in between it rejects the stop with 500
 * (res_stasis_playback.c of 22.10: `controllable`).
 */
const NOT_STOPPABLE_YET = 500;

export class AsteriskMedia implements Media {
  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
    private readonly registry: LegRegistry,
    private readonly playbacks: PlaybackRegistry,
    private readonly uris: MediaUris,
    private readonly bridgePlaybacks: BridgePlaybacks,
  ) {}

  async play(request: PlayRequest): Promise<void> {
    this.link.require();
    const { playbackId, target } = request;
    const media = await this.uris.ofAll(request.items, request.loop ?? 1);
    if (media.length === 0 || media.length > MAX_ITEMS) {
      throw new EngineError('rejected', `A playback has 1 to ${MAX_ITEMS} items, repeats included`);
    }
    this.playbacks.open(playbackId, 'legId' in target ? target.legId : target.bridgeId);
    try {
      if ('bridgeId' in target) await this.bridgePlaybacks.play(target.bridgeId, playbackId, media);
      else
        await this.http.send('POST', `/channels/${this.registry.channelOf(target.legId)}/play`, {
          body: { media, playbackId },
        });
    } catch (error) {
      this.playbacks.forget(playbackId);
      throw error;
    }
  }

  async stop(playbackId: string): Promise<void> {
    this.link.require();
    this.playbacks.markStopped(playbackId);
    try {
      await untilReady(NOT_STOPPABLE_YET, () => this.http.send('DELETE', `/playbacks/${playbackId}`));
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** Stops all playbacks of the leg: a channel executes commands in order, so that a move would wait for their end. */
  async stopAllOf(legId: string): Promise<void> {
    await Promise.all(this.playbacks.of(legId).map((playbackId) => this.stop(playbackId)));
  }
}
