import { DIAL_DEFAULTS } from '../../../core/model/flow/nodes/party.js';
import { destinationOf } from '../destination.js';
import { expectOutcome, type NodeBehaviour } from '../node.js';

export const dial: NodeBehaviour<'dial'> = {
  enter({ to, ring_timeout_seconds, next, after }, ctx) {
    const destination = destinationOf(to.type, ctx.text(to.target));
    if (destination === null) {
      ctx.set('dial_status', 'failed');
      return { go: next };
    }
    const ringSeconds = ring_timeout_seconds ?? DIAL_DEFAULTS.ring_timeout_seconds;
    return { act: { type: 'dial', to: destination, ringSeconds, comesBack: after !== undefined } };
  },
  resume({ next, after }, outcome, ctx) {
    const { status } = expectOutcome(outcome, 'dialled');
    ctx.set('dial_status', status);
    if (status !== 'answered') return { go: next };
    return after === undefined ? { act: { type: 'end', reason: 'normal' } } : { go: after };
  },
};
