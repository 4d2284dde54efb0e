import type { Skills } from '../../../core/model/queue/skills.js';
import type { FlowAction } from '../action.js';
import type { FlowCall } from '../flow-call.js';
import { SimulationEnd, type SimulatedCall } from '../simulated-call.js';

type NotServed = 'not_served';

/** Puts the call into a queue. A call that no agent answers comes back if `returns`; otherwise it takes the queue's overflow. */
export class QueueAction implements FlowAction<NotServed> {
  constructor(
    private readonly queueId: string,
    private readonly returns: boolean,
    private readonly requiredSkills?: Skills,
  ) {}

  perform(flow: FlowCall): Promise<null> {
    const { queueId, returns, requiredSkills } = this;
    const needs = requiredSkills === undefined ? {} : { requiredSkills };
    // A call that comes back does so as a new program, which enters the node again.
    return flow.continueAs({ type: 'queue', queueId, ...needs, ...(returns ? { orElse: flow.continuation() } : {}) });
  }

  simulate(call: SimulatedCall): NotServed | SimulationEnd {
    if (call.next('queues') === 'not_served' && this.returns) return 'not_served';
    return new SimulationEnd('queue', null, { type: 'queue', target: this.queueId });
  }
}
