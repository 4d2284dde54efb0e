import { askChoice, choose } from '../choice.js';
import type { NodeBehaviour } from '../node.js';

export const menu: NodeBehaviour<'menu'> = {
  enter: askChoice,
  resume: (node, outcome, ctx) => choose(node, outcome, ctx),
};
