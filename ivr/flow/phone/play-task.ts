import type { LegEvent, MediaItem } from '../../../core/ports/engine.js';
import type { CallControl } from '../../../core/services/call-state/program.js';
import type { FlowOutcome } from '../actions.js';
import type { Task } from './task.js';

export const PLAYED: FlowOutcome = { type: 'played' };

/** Play to the caller, to the end. */
export class PlayTask implements Task {
  #playbackId: string | null = null;

  constructor(
    private readonly items: readonly MediaItem[],
    private readonly loop: number,
    /** Kept with the call: who takes over stops what plays, and begins anew. */
    private readonly keep: (playbackId: string) => void,
  ) {}

  async start(call: CallControl): Promise<FlowOutcome | null> {
    const customer = call.leg('customer');
    if (!customer || this.items.length === 0) return PLAYED;
    this.#playbackId = await call.play(customer.legId, this.items, this.loop);
    this.keep(this.#playbackId);
    return null;
  }

  onLegEvent(call: CallControl, event: LegEvent): Promise<FlowOutcome | null> {
    if (event.type !== 'play.finished' || event.playbackId !== this.#playbackId) return Promise.resolve(null);
    if (event.outcome === 'failed') call.note('play.failed');
    return Promise.resolve(PLAYED);
  }

  async cancel(call: CallControl): Promise<void> {
    if (this.#playbackId !== null) await call.stopPlay(this.#playbackId);
  }
}
