import { newId } from '../../../model/ids.js';
import type { Engine, MediaItem } from '../../../ports/engine.js';
import { ignoringEndedLeg } from './ignoring-ended-leg.js';

/** What plays to the call's legs independently of its program, by leg, so that it can be stopped. */
export class LegPlaybacks {
  readonly #ids = new Map<string, Set<string>>();

  constructor(private readonly media: Engine['media']) {}

  /**
   * Plays the items one after another, `loop` times, to the leg.
   * @throws if the engine refuses, for example because the leg has ended
   */
  async play(legId: string, items: readonly MediaItem[], loop: number): Promise<void> {
    const playbackId = newId();
    await this.media.play({ playbackId, target: { legId }, items, loop });
    const ids = this.#ids.get(legId) ?? new Set();
    this.#ids.set(legId, ids.add(playbackId));
  }

  /** Stops everything that {@link play} has started for the leg. */
  async stop(legId: string): Promise<void> {
    for (const playbackId of this.#ids.get(legId) ?? []) await ignoringEndedLeg(this.media.stop(playbackId));
    this.#ids.delete(legId);
  }
}
