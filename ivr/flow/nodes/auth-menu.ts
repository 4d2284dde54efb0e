import type { NodeBehaviour } from '../node.js';
import { askChoice } from '../shared/choice.js';

export const authMenu: NodeBehaviour<'auth_menu'> = (node, ctx) =>
  askChoice(node, ctx, (choice) => {
    ctx.emit('call.input', { input: { node: ctx.id, choice, digits_count: choice.length } });
  });
