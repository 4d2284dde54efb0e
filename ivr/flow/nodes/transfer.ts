import type { Destination } from '../../../core/model/call/destinations.js';
import type { FlowAction } from '../action.js';
import type { FlowCall } from '../flow-call.js';
import { actLast, FlowError, type NodeBehaviour } from '../node.js';
import { destinationOf } from '../shared/destination.js';
import { QueueAction } from '../shared/queue-action.js';
import { VoicemailAction } from '../shared/voicemail-action.js';
import { SimulationEnd } from '../simulated-call.js';

export const transfer: NodeBehaviour<'transfer'> = ({ to: { type, target } }, ctx) => {
  const text = target == null ? null : ctx.fill(target);
  if (type === 'callflow' && text !== null) return { enterFlow: text, returns: false };
  if (type === 'queue' && text !== null) return actLast(new QueueAction(text, false));
  if (type === 'voicemail') return actLast(new VoicemailAction(text));
  const to = type === 'number' || type === 'agent' || type === 'sip' ? destinationOf(type, text ?? '') : null;
  if (to === null) throw new FlowError(`nothing can be sent to the ${type} that was given`);
  return actLast(new ConnectAction(to));
};

/** Connects the caller with another party; the call ends with that conversation. */
class ConnectAction implements FlowAction<never> {
  constructor(private readonly to: Destination) {}

  perform(flow: FlowCall): Promise<null> {
    return flow.continueAs({ type: 'connect', to: this.to });
  }

  simulate(): SimulationEnd {
    return new SimulationEnd('connect', null, { ...this.to });
  }
}
