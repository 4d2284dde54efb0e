import type { MediaItem } from '../../../core/ports/engine.js';
import type { LegEvent } from '../../../core/ports/engine-events.js';
import type { CallControl } from '../../../core/services/call-state/program.js';
import { DONE, type Done } from '../outcome.js';
import type { Task } from '../task.js';

/** Plays media to the caller until its end. */
export class PlayTask implements Task<Done> {
  #playbackId: string | null = null;

  constructor(
    private readonly items: readonly MediaItem[],
    private readonly loop: number,
    /** Saves the playback with the call: a process that takes the call over stops it and plays from the start. */
    private readonly save: (playbackId: string) => void,
  ) {}

  async start(call: CallControl): Promise<Done | null> {
    const customer = call.leg('customer');
    if (!customer || this.items.length === 0) return DONE;
    this.#playbackId = await call.play(customer.legId, this.items, this.loop);
    this.save(this.#playbackId);
    return null;
  }

  onLegEvent(call: CallControl, event: LegEvent): Promise<Done | null> {
    if (event.type !== 'play.finished' || event.playbackId !== this.#playbackId) return Promise.resolve(null);
    if (event.outcome === 'failed') call.note('play.failed');
    return Promise.resolve(DONE);
  }

  async cancel(call: CallControl): Promise<void> {
    if (this.#playbackId !== null) await call.stopPlay(this.#playbackId);
  }
}
