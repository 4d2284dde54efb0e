import { askChoice, choose } from '../choice.js';
import type { NodeBehaviour } from '../node.js';

/** A menu whose choice the customer's systems are told. */
export const authMenu: NodeBehaviour<'auth_menu'> = {
  enter: askChoice,
  resume: (node, outcome, ctx) =>
    choose(node, outcome, ctx, (choice) => {
      ctx.tell('call.input', { input: { node: ctx.id, choice, digits_count: choice.length } });
    }),
};
