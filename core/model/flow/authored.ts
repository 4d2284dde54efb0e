import { arabic } from '../wording/wording.js';
import type { ErrorDetail, Phrase } from '../errors/index.js';
import type { FlowDefinition, MenuDefinition } from './definition.js';
import { faultText, type FlowFault } from './parts/faults.js';

/** Where a fault is in the definition as its author wrote it, and how a sentence names that place. */
interface Place {
  readonly path: readonly string[];
  readonly name: Phrase;
}

/** The fault as a detail of an API error: its path is that of the request, also for a menu, which is checked as a graph. */
export function faultDetail(of: FlowDefinition, fault: FlowFault): ErrorDetail {
  const { node, field } = fault;
  const { path, name } =
    node === null
      ? { path: [field], name: { en: 'the flow', ar: 'مسار المكالمات' } }
      : of.kind === 'graph'
        ? {
            path: ['nodes', node, field],
            name: { en: `the node ${node}`, ar: arabic`العقدة ${node}` },
          }
        : inMenu(of.definition, node, field);
  const { en, ar } = faultText(fault);
  return {
    path: ['definition', ...path.filter((part) => part !== '')].join('.'),
    message: `${name.en} ${en}`,
    message_ar: arabic`${name.ar} ${ar}`,
  };
}

/** Names of members of the menu that its node has under another name (`graphOf`). */
const MEMBERS: Readonly<Record<string, string>> = { choices: 'options', no_input: 'otherwise', invalid: 'otherwise' };

/** Keys that are words in the names of their nodes. */
const KEYS: Readonly<Record<string, string>> = { star: '*', hash: '#' };

function inMenu({ greeting }: MenuDefinition, node: string, field: string): Place {
  const [, kind, number = ''] = /^(greeting|option)_(.+)$/.exec(node) ?? [];
  if (kind === 'greeting') {
    const at = Array.isArray(greeting) ? [`greeting[${Number(number) - 1}]`] : ['greeting'];
    return { path: [...at, field], name: { en: 'the greeting', ar: 'عقدة الترحيب' } };
  }
  // A destination is `to` of its node.
  const inDestination = field.replace(/^to\.?/, '');
  if (kind === 'option') {
    const key = KEYS[number] ?? number;
    return {
      path: ['options', key, inDestination],
      name: { en: `the option of key ${key}`, ar: arabic`عقدة المفتاح ${key}` },
    };
  }
  if (node === 'otherwise') {
    return { path: ['otherwise', inDestination], name: { en: 'the destination "otherwise"', ar: 'عقدة `otherwise`' } };
  }
  const [first = '', ...rest] = field.split('.');
  return {
    path: [MEMBERS[first] ?? first, ...rest],
    name: { en: 'the menu', ar: 'عقدة القائمة' },
  };
}
