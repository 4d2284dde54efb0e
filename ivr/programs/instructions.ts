import type { CallControl, CallProgram, ProgramSpec, Prompts } from '../../core/services/call-state/program.js';
import type { MediaItem } from '../../core/ports/engine.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import { NORMAL } from '../dialogue/endings.js';

type Spec = Extract<ProgramSpec, { type: 'instructions' }>;

/**
 * Carries out the instructions of an end user's number: speaks a text, plays audio and forwards the call, in this order; each is optional. A call
 * that is only forwarded is not answered here, so the caller hears the real ringing and does not pay for an unanswered call.
 */
export class InstructionsProgram implements CallProgram {
  #playbackId: string | null;

  constructor(
    private readonly spec: Spec,
    private readonly prompts: Prompts,
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#playbackId = typeof state?.playbackId === 'string' ? state.playbackId : null;
  }

  async start(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    if (this.spec.say === null && this.spec.audio === null) await this.#finish(call);
    else if (customer.status === 'answered') await this.#speak(call, customer.legId);
    else await call.answer(customer.legId);
  }

  /** Plays everything again, because nobody knows whether it ended during the restart. */
  async resume(call: CallControl): Promise<void> {
    if (this.#playbackId !== null) await call.stopPlay(this.#playbackId);
    await this.start(call);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    if (event.type === 'leg.answered') await this.#speak(call, event.legId);
    else if (event.type === 'play.finished' && event.playbackId === this.#playbackId) {
      if (event.outcome === 'failed') call.note('play.failed');
      await this.#finish(call);
    }
  }

  async #speak(call: CallControl, legId: string): Promise<void> {
    const { say, audio } = this.spec;
    const spoken = say === null ? null : await this.prompts.say(say.text, say.language);
    if (say !== null && spoken === null) call.note('say.failed');
    const items: readonly MediaItem[] = [
      ...(spoken === null ? [] : [spoken]),
      ...(audio === null ? [] : [{ type: 'file', path: audio } as const]),
    ];
    if (items.length === 0) {
      await this.#finish(call);
      return;
    }
    this.#playbackId = await call.play(legId, items);
    call.save({ playbackId: this.#playbackId });
  }

  async #finish(call: CallControl): Promise<void> {
    const { forwardTo } = this.spec;
    if (forwardTo === null) await call.end(NORMAL);
    else await call.continueAs({ type: 'connect', to: { type: 'number', target: forwardTo } });
  }
}
