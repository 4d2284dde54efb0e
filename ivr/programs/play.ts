import type { CallControl, CallProgram } from '../../core/services/call-state/program.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import { NORMAL } from '../dialogue/endings.js';

/** Plays to the customer, then hangs up. */
export class PlayProgram implements CallProgram {
  #playbackId: string | null;

  constructor(
    private readonly paths: readonly string[],
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#playbackId = typeof state?.playbackId === 'string' ? state.playbackId : null;
  }

  async start(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    this.#playbackId = await call.play(
      customer.legId,
      this.paths.map((path) => ({ type: 'file', path })),
    );
    call.save({ playbackId: this.#playbackId });
  }

  /** Plays the prompt again: nobody knows whether it ended during the restart, and hearing it twice is better than not at all. */
  async resume(call: CallControl): Promise<void> {
    if (this.#playbackId !== null) await call.stopPlay(this.#playbackId);
    await this.start(call);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    if (event.type !== 'play.finished' || event.playbackId !== this.#playbackId) return;
    if (event.outcome === 'failed') call.note('play.failed');
    await call.end(NORMAL);
  }
}
