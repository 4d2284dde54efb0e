/** An accepted playback whose end is not reported yet. */
export interface Play {
  readonly playbackId: string;
  /** Leg id or bridge id. */
  readonly target: string;
  /** The items for FreeSWITCH, in order. */
  readonly strings: readonly string[];
  /** The index of the item that FreeSWITCH was sent last. */
  at: number;
  /** FreeSWITCH has started the item at `at`. */
  running: boolean;
  /** `play.started` was emitted. */
  started: boolean;
  stopped: boolean;
  /** At least one item was audible. */
  played: boolean;
}

/** A FIFO queue of playbacks for each leg and bridge; the first one plays. */
export class PlayQueue {
  readonly #byId = new Map<string, Play>();
  readonly #queues = new Map<string, Play[]>();

  /** Appends a playback. @returns it, and whether it is the first in its queue */
  enter(
    playbackId: string,
    target: string,
    strings: readonly string[],
  ): { readonly play: Play; readonly first: boolean } {
    const play: Play = {
      ...{ playbackId, target, strings },
      ...{ at: 0, running: false, started: false, stopped: false, played: false },
    };
    const queue = this.#queues.get(target) ?? [];
    queue.push(play);
    this.#queues.set(target, queue);
    this.#byId.set(playbackId, play);
    return { play, first: queue.length === 1 };
  }

  get(playbackId: string): Play | undefined {
    return this.#byId.get(playbackId);
  }

  isFirst(play: Play): boolean {
    return this.first(play.target) === play;
  }

  first(target: string): Play | undefined {
    return this.#queues.get(target)?.[0];
  }

  of(target: string): readonly Play[] {
    return [...(this.#queues.get(target) ?? [])];
  }

  /** The first playback of each queue. */
  heads(): readonly Play[] {
    return [...this.#queues.values()].flatMap(([play]) => play ?? []);
  }

  /** Removes a playback. @returns the next one, if this was the first */
  leave(play: Play): Play | undefined {
    this.#byId.delete(play.playbackId);
    const queue = this.#queues.get(play.target) ?? [];
    const place = queue.indexOf(play);
    if (place < 0) return undefined;
    queue.splice(place, 1);
    if (queue.length === 0) this.#queues.delete(play.target);
    return place === 0 ? queue[0] : undefined;
  }
}
