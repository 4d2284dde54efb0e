import { act, type NodeBehaviour } from '../node.js';
import { QueueAction } from '../shared/queue-action.js';

/** The queue takes the call. A call that no agent answers enters this node again and goes to `next`, if that is set. */
export const queue: NodeBehaviour<'queue'> = ({ queue_id, required_skills, next }, ctx) => {
  if (ctx.notes?.left === true) return { go: next };
  ctx.note({ left: true });
  return act(new QueueAction(queue_id, next !== undefined, required_skills), () => ({ go: next }));
};
