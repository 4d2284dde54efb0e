import type { FlowDefinition, FlowNode, GraphDefinition, MenuDefinition, MenuTarget } from './definition.js';
import { promptsOf } from './parts.js';

/** The graph that a definition stands for. */
export function graphOf({ kind, definition }: FlowDefinition): GraphDefinition {
  return kind === 'graph' ? definition : fromMenu(definition);
}

/** `greeting` → `menu` → `option_1` … */
function fromMenu(menu: MenuDefinition): GraphDefinition {
  const { greeting, options, otherwise, language, ...asking } = menu;
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
  const left = otherwise?.type === 'repeat' ? 'menu' : 'otherwise';
  if (left === 'otherwise') nodes[left] = nodeOf(otherwise ?? { type: 'hangup' });
  nodes.menu = { type: 'menu', ...asking, choices, no_input: left, invalid: left };
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
