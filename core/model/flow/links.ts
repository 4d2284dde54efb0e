import type { FlowNode } from './definition.js';
import { RETURN } from './parts.js';

/** One way out of a node. */
export interface FlowLink {
  /** Where it stands in the node: `next`, `choices.1`, `cases[0].next`. */
  readonly name: string;
  /** Null where it is missing. */
  readonly target: string | null;
}

/** Every way out that the node has, or must have. */
export function linksOf(node: FlowNode): FlowLink[] {
  switch (node.type) {
    case 'play':
    case 'say':
    case 'set':
    case 'record':
    case 'conference':
    case 'subflow':
      return [must('next', node.next)];
    case 'menu':
    case 'auth_menu':
      return [
        ...Object.entries(node.choices).map(([key, target]) => ({ name: `choices.${key}`, target })),
        ...unanswered(node),
      ];
    case 'gather':
      return [must('next', node.next), ...unanswered(node)];
    case 'verify':
      return [must('next', node.next), must('failed', node.failed)];
    case 'branch':
      return [...node.cases.map(({ next }, index) => must(`cases[${index}].next`, next)), must('next', node.next)];
    case 'hours':
      return [must('open', node.open), must('closed', node.closed)];
    case 'http':
      return [must('next', node.next), ...may('failed', node.failed)];
    case 'dial':
      return [must('next', node.next), ...may('after', node.after)];
    case 'queue':
      return may('next', node.next);
    case 'goto':
      return node.callflow_id === undefined ? [must('next', node.next)] : may('next', node.next);
    case 'voicemail':
    case 'transfer':
    case 'hangup':
      return [];
  }
}

/** The other nodes that can come next. */
export function successorsOf(node: FlowNode): string[] {
  return linksOf(node).flatMap(({ target }) => (target === null || target === RETURN ? [] : [target]));
}

function must(name: string, target: string | undefined): FlowLink {
  return { name, target: target ?? null };
}

function may(name: string, target: string | undefined): FlowLink[] {
  return target === undefined ? [] : [{ name, target }];
}

/** One of the two stands for both. */
function unanswered({
  no_input,
  invalid,
}: {
  no_input?: string | undefined;
  invalid?: string | undefined;
}): FlowLink[] {
  if (no_input === undefined && invalid === undefined) return [must('no_input', undefined)];
  return [...may('no_input', no_input), ...may('invalid', invalid)];
}
