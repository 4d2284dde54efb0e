import type { FlowDefinition, GraphDefinition, MenuDefinition, MenuTarget } from './definition.js';
import type { FlowNode } from './node-types.js';
import { promptsOf } from './parts/fields.js';

/** The graph that runs; a menu is translated into one. */
export function graphOf({ kind, definition }: FlowDefinition): GraphDefinition {
  return kind === 'graph' ? definition : graphOfMenu(definition);
}

/** The nodes are named `greeting_1` … → `menu` → `option_1` … or `otherwise`. */
function graphOfMenu(menu: MenuDefinition): GraphDefinition {
  const { greeting, options, otherwise, language, ...question } = menu;
  const nodes: Record<string, FlowNode> = {};
  const greetings = promptsOf(greeting);
  greetings.forEach((prompt, index) => {
    const next = index + 1 < greetings.length ? `greeting_${index + 2}` : 'menu';
    nodes[`greeting_${index + 1}`] =
      'audio_id' in prompt ? { type: 'play', ...prompt, next } : { type: 'say', ...prompt, next };
  });
  const choices: Record<string, string> = {};
  for (const [key, target] of Object.entries(options)) {
    const id = `option_${key === '*' ? 'star' : key === '#' ? 'hash' : key}`;
    choices[key] = target.type === 'repeat' ? 'menu' : id;
    if (target.type !== 'repeat') nodes[id] = nodeOf(target);
  }
  const unanswered = otherwise?.type === 'repeat' ? 'menu' : 'otherwise';
  if (unanswered === 'otherwise') nodes[unanswered] = nodeOf(otherwise ?? { type: 'hangup' });
  nodes.menu = { type: 'menu', ...question, choices, no_input: unanswered, invalid: unanswered };
  return {
    start: greetings.length > 0 ? 'greeting_1' : 'menu',
    ...(language === undefined ? {} : { language }),
    nodes,
  };
}

function nodeOf({ type, target }: MenuTarget): FlowNode {
  switch (type) {
    case 'hangup':
    case 'repeat':
      return { type: 'hangup' };
    default:
      return { type: 'transfer', to: { type, ...(target == null ? {} : { target }) } };
  }
}
