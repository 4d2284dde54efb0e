interface OpenPlayback {
  readonly target: string;
  started: boolean;
  stopped: boolean;
}

/** The accepted playbacks whose end is not reported yet, indexed by the leg or bridge that they play on. */
export class PlaybackRegistry {
  readonly #open = new Map<string, OpenPlayback>();
  readonly #byTarget = new Map<string, Set<string>>();

  open(playbackId: string, target: string): void {
    this.#open.set(playbackId, { target, started: false, stopped: false });
    const siblings = this.#byTarget.get(target);
    if (siblings) siblings.add(playbackId);
    else this.#byTarget.set(target, new Set([playbackId]));
  }

  /** Returns true the first time: a playback starts once, although Asterisk reports the start of each item. */
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

  /** Closes the playback. Returns whether it had been stopped, or undefined if it was not open. */
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
