interface BookedPlayback {
  readonly target: string;
  started: boolean;
  stopped: boolean;
}

/** The playbacks that were accepted and whose end was not told yet, by the leg or bridge that they play to. */
export class PlaybackRegistry {
  readonly #open = new Map<string, BookedPlayback>();
  readonly #byTarget = new Map<string, Set<string>>();

  open(playbackId: string, target: string): void {
    this.#open.set(playbackId, { target, started: false, stopped: false });
    const siblings = this.#byTarget.get(target);
    if (siblings) siblings.add(playbackId);
    else this.#byTarget.set(target, new Set([playbackId]));
  }

  /** True the first time: a list starts once, though Asterisk tells of each of its items. */
  start(playbackId: string): boolean {
    const playback = this.#open.get(playbackId);
    if (!playback || playback.started) return false;
    playback.started = true;
    return true;
  }

  markStopped(playbackId: string): void {
    const playback = this.#open.get(playbackId);
    if (playback) playback.stopped = true;
  }

  /** Close it and tell whether it had been stopped, or undefined when it was not open (any more). */
  finish(playbackId: string): { readonly stopped: boolean } | undefined {
    const playback = this.#open.get(playbackId);
    this.forget(playbackId);
    return playback && { stopped: playback.stopped };
  }

  forget(playbackId: string): void {
    const playback = this.#open.get(playbackId);
    if (!playback) return;
    this.#open.delete(playbackId);
    const siblings = this.#byTarget.get(playback.target);
    siblings?.delete(playbackId);
    if (siblings?.size === 0) this.#byTarget.delete(playback.target);
  }

  of(target: string): readonly string[] {
    return [...(this.#byTarget.get(target) ?? [])];
  }
}
