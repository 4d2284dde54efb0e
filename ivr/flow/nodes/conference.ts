import { expectOutcome, type NodeBehaviour } from '../node.js';

const MAX_NAME_LENGTH = 64;

export const conference: NodeBehaviour<'conference'> = {
  enter: (node, ctx) => ({
    act: {
      type: 'conference',
      name: ctx.text(node.name).slice(0, MAX_NAME_LENGTH),
      muted: node.muted ?? false,
      beep: node.beep ?? false,
      startOnEnter: node.start_on_enter ?? true,
      endOnExit: node.end_on_exit ?? false,
      maxParticipants: node.max_participants ?? 20,
    },
  }),
  resume({ next }, outcome) {
    expectOutcome(outcome, 'refused');
    return { go: next };
  },
};
