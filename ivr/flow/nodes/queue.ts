import { expectOutcome, type NodeBehaviour } from '../node.js';

/** The queue has the call from here; where `next` is set, who was not answered comes back. */
export const queue: NodeBehaviour<'queue'> = {
  enter({ queue_id, next }, ctx) {
    if (ctx.notes?.left === true) return { go: next };
    ctx.note({ left: true });
    return { act: { type: 'queue', queueId: queue_id, comesBack: next !== undefined } };
  },
  resume({ next }, outcome) {
    expectOutcome(outcome, 'not_served');
    return { go: next };
  },
};
