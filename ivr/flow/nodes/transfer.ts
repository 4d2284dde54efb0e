import { destinationOf } from '../destination.js';
import { FlowError, type NodeBehaviour } from '../node.js';

/** To another destination for good. */
export const transfer: NodeBehaviour<'transfer'> = {
  enter({ to: { type, target } }, ctx) {
    const text = target == null ? null : ctx.text(target);
    if (type === 'callflow' && text !== null) return { into: text, back: false };
    if (type === 'queue' && text !== null) return { act: { type: 'queue', queueId: text, comesBack: false } };
    if (type === 'voicemail') return { act: { type: 'voicemail', number: text } };
    const to = type === 'number' || type === 'agent' || type === 'sip' ? destinationOf(type, text ?? '') : null;
    if (to === null) throw new FlowError(`nothing can be sent to the ${type} that was given`);
    return { act: { type: 'connect', to } };
  },
};
