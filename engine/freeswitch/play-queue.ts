/** A playback that was accepted and whose end was not told yet. */
export interface Play {
  readonly playbackId: string;
  /** Leg or bridge. */
  readonly target: string;
  /** What FreeSWITCH is given, one after another. */
  readonly strings: readonly string[];
  /** The one that it has been given. */
  at: number;
  /** FreeSWITCH began with the one at `at`. */
  running: boolean;
  /** `play.started` was told. */
  started: boolean;
  stopped: boolean;
  /** Something of it was heard. */
  played: boolean;
}

/** One line of playbacks for each leg and bridge: the first one plays. */
export class PlayQueue {
  readonly #byId = new Map<string, Play>();
  readonly #lines = new Map<string, Play[]>();

  /** @returns the playback, and whether it is the first in its line. */
  enter(
    playbackId: string,
    target: string,
    strings: readonly string[],
  ): { readonly play: Play; readonly first: boolean } {
    const play: Play = {
      ...{ playbackId, target, strings },
      ...{ at: 0, running: false, started: false, stopped: false, played: false },
    };
    const line = this.#lines.get(target) ?? [];
    line.push(play);
    this.#lines.set(target, line);
    this.#byId.set(playbackId, play);
    return { play, first: line.length === 1 };
  }

  get(playbackId: string): Play | undefined {
    return this.#byId.get(playbackId);
  }

  isFirst(play: Play): boolean {
    return this.first(play.target) === play;
  }

  first(target: string): Play | undefined {
    return this.#lines.get(target)?.[0];
  }

  of(target: string): readonly Play[] {
    return [...(this.#lines.get(target) ?? [])];
  }

  /** The first of each line. */
  firsts(): readonly Play[] {
    return [...this.#lines.values()].flatMap(([play]) => play ?? []);
  }

  /** @returns the one that comes next, when this was the first. */
  leave(play: Play): Play | undefined {
    this.#byId.delete(play.playbackId);
    const line = this.#lines.get(play.target) ?? [];
    const place = line.indexOf(play);
    if (place < 0) return undefined;
    line.splice(place, 1);
    if (line.length === 0) this.#lines.delete(play.target);
    return place === 0 ? line[0] : undefined;
  }
}
