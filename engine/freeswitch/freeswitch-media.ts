import { EngineError, type EngineEvent, type Media, type PlayRequest } from '../../core/ports/engine.js';
import type { Logger } from '../../core/ports/logger.js';
import type { EslLink } from './esl/esl-link.js';
import type { LegRegistry } from './leg-registry.js';
import { mediaStrings } from './media-string.js';
import { PlayQueue, type Play } from './play-queue.js';

/** In the name that a conference gives back when it tells of what it plays. */
export const PLAYBACK_PARAMETER = 'hatif_playback';
/** FreeSWITCH looks for a break every 20 ms. */
const BREAK_WITHIN_MS = 2_000;

/**
 * FreeSWITCH is given one thing to play at a time: what it is given meanwhile would interrupt it, and could not be taken back. A leg is
 * played to by an application of its channel that bears the playback's id, a bridge by the conference.
 */
export class FreeswitchMedia implements Media {
  readonly #queue = new PlayQueue();
  readonly #waiting = new Map<string, () => void>();

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
      await this.#give(play);
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

  /** Resolves when nothing plays to it any more. */
  async stopAllOf(target: string): Promise<void> {
    const [first, ...rest] = this.#queue.of(target);
    for (const play of rest.toReversed()) {
      play.stopped = true;
      this.#finish(play, new Date());
    }
    if (!first) return;
    const over = new Promise<void>((resolve) => this.#waiting.set(first.playbackId, resolve));
    const timer = setTimeout(() => this.#finish(first, new Date()), BREAK_WITHIN_MS);
    try {
      await this.#break(first);
      await over;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(first.playbackId);
    }
  }

  /** FreeSWITCH began with what it was given. */
  began(playbackId: string, at: Date): void {
    const play = this.#queue.get(playbackId);
    if (!play) return;
    play.running = true;
    // What begins for a moment though its leg is being hung up, nobody hears.
    if (this.registry.leg(play.target)?.hangingUp === true) return;
    if (!play.started) {
      play.started = true;
      this.emit({ type: 'play.started', legId: play.target, at, playbackId });
    }
    if (play.stopped) this.#break(play).catch((error: unknown) => this.#unstopped(error, play));
  }

  /** FreeSWITCH is done with what it was given. */
  done(playbackId: string, wasPlayed: boolean, at: Date): void {
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

  /** Its leg or bridge is gone. */
  targetEnded(target: string, at: Date): void {
    for (const play of this.#queue.of(target)) {
      this.#queue.leave(play);
      this.#tellEnd(play, 'stopped', at);
    }
  }

  /**
   * After an outage: what came to its end unheard. Of a bridge FreeSWITCH does not say; what still plays there is told as over, and what comes next
   * waits for its end all the same.
   */
  resume(isPlaying: (legId: string) => boolean, at: Date): void {
    for (const play of this.#queue.firsts()) {
      if (!isPlaying(play.target)) this.done(play.playbackId, true, at);
    }
  }

  #finish(play: Play, at: Date): void {
    const next = this.#queue.leave(play);
    this.#tellEnd(play, play.stopped ? 'stopped' : play.played ? 'completed' : 'failed', at);
    if (next) this.#continue(next);
  }

  #tellEnd(play: Play, outcome: 'completed' | 'stopped' | 'failed', at: Date): void {
    this.emit({ type: 'play.finished', legId: play.target, at, playbackId: play.playbackId, outcome });
    this.#waiting.get(play.playbackId)?.();
  }

  #continue(play: Play): void {
    this.#give(play).catch((error: unknown) => {
      // Of a leg that is gone, its end will tell.
      if (error instanceof EngineError && error.kind === 'no_such_leg' && this.registry.leg(play.target)) return;
      this.log.warn({ err: error, playbackId: play.playbackId }, 'a playback could not go on');
      this.#finish(play, new Date());
    });
  }

  async #give(play: Play): Promise<void> {
    const string = play.strings[play.at] ?? '';
    const leg = this.registry.leg(play.target);
    if (leg) {
      await this.link.execute(leg.channelId, play.playbackId, 'playback', string);
      return;
    }
    // A conference knows of files only: what it was given is found again by a parameter in front of the name.
    try {
      await this.link.api(`conference ${play.target} play {${PLAYBACK_PARAMETER}=${play.playbackId}}${string}`);
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind !== 'rejected') throw error;
      if (!((error as { reply?: string }).reply ?? '').startsWith('(play)')) {
        throw new EngineError('no_such_leg', `No such bridge, or nobody in it: ${play.target}`, { cause: error });
      }
      this.began(play.playbackId, new Date());
      this.done(play.playbackId, false, new Date());
    }
  }

  /** One that was given and has not begun is stopped when it begins: a break that comes before would be lost. */
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

  #unstopped(error: unknown, play: Play): void {
    this.log.warn({ err: error, playbackId: play.playbackId }, 'a playback could not be stopped');
  }
}
