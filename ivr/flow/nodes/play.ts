import { expectOutcome, type NodeBehaviour } from '../node.js';

export const play: NodeBehaviour<'play'> = {
  enter: ({ audio_id, loop }, ctx) => ({ act: { type: 'play', items: ctx.spoken([{ audio_id }]), loop: loop ?? 1 } }),
  resume({ next }, outcome) {
    expectOutcome(outcome, 'played');
    return { go: next };
  },
};
