import type { FlowAction } from '../action.js';
import type { FlowCall } from '../flow-call.js';
import { DONE, type Done } from '../outcome.js';
import type { RenderedPrompt } from '../prompt.js';
import type { SimulatedCall, SimulationEnd } from '../simulated-call.js';
import { mediaOf } from '../tasks/media.js';
import { PlayTask } from '../tasks/play-task.js';

/** Plays prompts to the caller until their end. */
export class PlayAction implements FlowAction<Done> {
  readonly needsAnswer = true;

  constructor(
    private readonly prompts: readonly RenderedPrompt[],
    private readonly loop: number,
  ) {}

  async perform(flow: FlowCall): Promise<Done | null> {
    const media = await mediaOf(flow, this.prompts);
    return flow.run(new PlayTask(media, this.loop, (playbackId) => flow.save({ playbackId })));
  }

  simulate(call: SimulatedCall): Done | SimulationEnd {
    return call.hear(this.prompts) ?? DONE;
  }
}
