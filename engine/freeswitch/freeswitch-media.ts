import { EngineError, type Media, type PlayRequest } from '../../core/ports/engine.js';
import type { EngineEvent } from '../../core/ports/engine-events.js';
import type { Logger } from '../../core/ports/logger.js';
import type { EslLink } from './esl/esl-link.js';
import type { LegRegistry } from './leg-registry.js';
import { mediaStrings } from './media-string.js';
import { PlayQueue, type Play } from './play-queue.js';

/** A parameter in front of a file name, which a conference repeats in its events about the playback. */
export const PLAYBACK_PARAMETER = 'hatif_playback';
/** FreeSWITCH checks for a break every 20 ms. */
const BREAK_WITHIN_MS = 2_000;

/**
 * Sends FreeSWITCH one item at a time: another one sent meanwhile would interrupt it, and could not be taken back. On a
 * leg the item is an application with the playback's id, in a bridge the conference plays it.
 */
export class FreeswitchMedia implements Media {
  readonly #queue = new PlayQueue();
  readonly #stopWaiters = new Map<string, () => void>();

  constructor(
    private readonly link: EslLink,
    private readonly registry: LegRegistry,
    private readonly emit: (event: EngineEvent) => void,
    private readonly log: Logger,
    private readonly recordingDir: string,
  ) {}

  async play(request: PlayRequest): Promise<void> {
    this.link.require();
    const strings = mediaStrings(request.items, this.recordingDir, request.loop);
    const target = 'legId' in request.target ? request.target.legId : request.target.bridgeId;
    if ('legId' in request.target && !this.registry.leg(target)) {
      throw new EngineError('no_such_leg', `No such leg: ${target}`);
    }
    const { play, first } = this.#queue.enter(request.playbackId, target, strings);
    if (!first) return;
    try {
      await this.#send(play);
    } catch (error) {
      this.#queue.leave(play);
      throw error;
    }
  }

  async stop(playbackId: string): Promise<void> {
    this.link.require();
    const play = this.#queue.get(playbackId);
    if (!play) return;
    if (!this.#queue.isFirst(play)) {
      play.stopped = true;
      this.#finish(play, new Date());
      return;
    }
    await this.#break(play);
  }

  /** Resolves when nothing plays on the target any more. */
  async stopAllOf(target: string): Promise<void> {
    const [first, ...rest] = this.#queue.of(target);
    for (const play of rest.toReversed()) {
      play.stopped = true;
      this.#finish(play, new Date());
    }
    if (!first) return;
    const over = new Promise<void>((resolve) => this.#stopWaiters.set(first.playbackId, resolve));
    const timer = setTimeout(() => this.#finish(first, new Date()), BREAK_WITHIN_MS);
    try {
      await this.#break(first);
      await over;
    } finally {
      clearTimeout(timer);
      this.#stopWaiters.delete(first.playbackId);
    }
  }

  /** FreeSWITCH started the item that it was sent. */
  itemStarted(playbackId: string, at: Date): void {
    const play = this.#queue.get(playbackId);
    if (!play) return;
    play.running = true;
    // If the leg is being hung up, the item starts for a moment, but no one hears it.
    if (this.registry.leg(play.target)?.hangingUp === true) return;
    if (!play.started) {
      play.started = true;
      this.emit({ type: 'play.started', legId: play.target, at, playbackId });
    }
    if (play.stopped) this.#break(play).catch((error: unknown) => this.#logStopFailure(error, play));
  }

  /** FreeSWITCH finished the item that it was sent. */
  itemFinished(playbackId: string, wasPlayed: boolean, at: Date): void {
    const play = this.#queue.get(playbackId);
    if (!play) return;
    play.running = false;
    play.played ||= wasPlayed;
    if (this.registry.leg(play.target)?.hangingUp === true) play.stopped = true;
    if (play.stopped || play.at + 1 >= play.strings.length) {
      this.#finish(play, at);
      return;
    }
    play.at += 1;
    this.#continue(play);
  }

  /** The leg or bridge is gone. */
  targetEnded(target: string, at: Date): void {
    for (const play of this.#queue.of(target)) {
      this.#queue.leave(play);
      this.#emitFinished(play, 'stopped', at);
    }
  }

  /**
   * Reports the playbacks that ended during an outage. FreeSWITCH does not show what plays in a bridge: such playbacks
   * are reported as finished, and FreeSWITCH plays the next one after them in any case.
   */
  resume(isPlaying: (legId: string) => boolean, at: Date): void {
    for (const play of this.#queue.heads()) {
      if (!isPlaying(play.target)) this.itemFinished(play.playbackId, true, at);
    }
  }

  #finish(play: Play, at: Date): void {
    const next = this.#queue.leave(play);
    this.#emitFinished(play, play.stopped ? 'stopped' : play.played ? 'completed' : 'failed', at);
    if (next) this.#continue(next);
  }

  #emitFinished(play: Play, outcome: 'completed' | 'stopped' | 'failed', at: Date): void {
    this.emit({ type: 'play.finished', legId: play.target, at, playbackId: play.playbackId, outcome });
    this.#stopWaiters.get(play.playbackId)?.();
  }

  #continue(play: Play): void {
    this.#send(play).catch((error: unknown) => {
      // If the leg is gone, its end reports the end of the playback.
      if (error instanceof EngineError && error.kind === 'no_such_leg' && this.registry.leg(play.target)) return;
      this.log.warn({ err: error, playbackId: play.playbackId }, 'cannot continue a playback');
      this.#finish(play, new Date());
    });
  }

  async #send(play: Play): Promise<void> {
    const string = play.strings[play.at] ?? '';
    const leg = this.registry.leg(play.target);
    if (leg) {
      await this.link.execute(leg.channelId, play.playbackId, 'playback', string);
      return;
    }
    // A conference only knows files: a parameter in front of the name identifies the playback in its events.
    try {
      await this.link.api(`conference ${play.target} play {${PLAYBACK_PARAMETER}=${play.playbackId}}${string}`);
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind !== 'rejected') throw error;
      if (!((error as { reply?: string }).reply ?? '').startsWith('(play)')) {
        throw new EngineError('no_such_leg', `No such bridge, or it has no members: ${play.target}`, { cause: error });
      }
      this.itemStarted(play.playbackId, new Date());
      this.itemFinished(play.playbackId, false, new Date());
    }
  }

  /** An item that has not started yet is stopped when it starts: FreeSWITCH would ignore an earlier break. */
  async #break(play: Play): Promise<void> {
    play.stopped = true;
    if (!play.running) return;
    const leg = this.registry.leg(play.target);
    try {
      await this.link.api(leg ? `uuid_break ${leg.channelId}` : `conference ${play.target} stop current`);
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'unreachable' || error.kind === 'timeout') throw error;
    }
  }

  #logStopFailure(error: unknown, play: Play): void {
    this.log.warn({ err: error, playbackId: play.playbackId }, 'cannot stop a playback');
  }
}
