import type { NodeBehaviour } from '../node.js';
import { askChoice } from '../shared/choice.js';

export const menu: NodeBehaviour<'menu'> = (node, ctx) => askChoice(node, ctx);
