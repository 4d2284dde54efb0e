import type { FlowControl } from '../../../core/services/call-state/program.js';
import type { FlowAction } from '../action.js';
import type { FlowCall } from '../flow-call.js';
import { act, type NodeBehaviour } from '../node.js';
import { SimulationEnd, type SimulatedCall } from '../simulated-call.js';

const MAX_NAME_LENGTH = 64;

export const conference: NodeBehaviour<'conference'> = (node, ctx) =>
  act(
    new ConferenceAction({
      name: ctx.fill(node.name).slice(0, MAX_NAME_LENGTH),
      muted: node.muted ?? false,
      beep: node.beep ?? false,
      startOnEnter: node.start_on_enter ?? true,
      endOnExit: node.end_on_exit ?? false,
      maxParticipants: node.max_participants ?? 20,
    }),
    () => ({ go: node.next }),
  );

type Conference = Parameters<FlowControl['join']>[0];
type Refused = 'refused';

class ConferenceAction implements FlowAction<Refused> {
  readonly needsAnswer = true;

  constructor(private readonly conference: Conference) {}

  async perform({ call }: FlowCall): Promise<Refused | null> {
    return (await call.flow.join(this.conference)) ? null : 'refused';
  }

  simulate(call: SimulatedCall): Refused | SimulationEnd {
    if (call.next('conferences') === 'refused') return 'refused';
    return new SimulationEnd('conference', null, { type: 'conference', target: this.conference.name });
  }
}
