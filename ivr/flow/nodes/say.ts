import { act, type NodeBehaviour } from '../node.js';
import { PlayAction } from '../shared/play-action.js';

export const say: NodeBehaviour<'say'> = ({ text, language, next }, ctx) =>
  act(new PlayAction(ctx.render([{ text, language }]), 1), () => ({ go: next }));
