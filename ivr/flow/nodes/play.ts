import { act, type NodeBehaviour } from '../node.js';
import { PlayAction } from '../shared/play-action.js';

export const play: NodeBehaviour<'play'> = ({ audio_id, loop, next }, ctx) =>
  act(new PlayAction(ctx.render([{ audio_id }]), loop ?? 1), () => ({ go: next }));
