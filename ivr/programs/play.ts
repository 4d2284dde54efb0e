import type { CallControl, CallProgram } from '../../core/services/call-state/program.js';
import type { LegEvent } from '../../core/ports/engine.js';
import { NORMAL } from '../dialogue/endings.js';

/** Play to the customer, then hang up. */
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

  /**
   * Whether the prompt ended while the application was away cannot be known, and a customer who hears it twice is better off than
   * one who hears nothing: it is begun again.
   */
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
