import { parseNumber } from '../phone-numbers.js';
import type { FlowNode, GraphDefinition } from './definition.js';
import { promptsOf } from './parts.js';
import { hasPlaces } from './template.js';

export type ReferenceKind = 'audio' | 'queue' | 'number' | 'callflow' | 'agent';

/** Something else that a node names. */
export interface FlowReference {
  readonly kind: ReferenceKind;
  readonly node: string;
  /** Where it stands in the node. */
  readonly field: string;
  /** As it is found: numbers in E.164. */
  readonly target: string;
  /** Whether the call comes back from there: of another flow only. */
  readonly returns: boolean;
}

/** What the whole graph names; what is only known during a call is not among it. */
export function referencesOf(graph: GraphDefinition): FlowReference[] {
  return Object.entries(graph.nodes).flatMap(([id, node]) =>
    named(node).map(({ kind, field, target }) => ({ kind, node: id, field, target, returns: node.type === 'subflow' })),
  );
}

interface Named {
  readonly kind: ReferenceKind;
  readonly field: string;
  readonly target: string;
}

function named(node: FlowNode): Named[] {
  switch (node.type) {
    case 'play':
      return [{ kind: 'audio', field: 'audio_id', target: node.audio_id }];
    case 'menu':
    case 'auth_menu':
    case 'gather':
      return [
        ...audioOf('prompt', node.prompt),
        ...audioOf('no_input_prompt', node.no_input_prompt),
        ...audioOf('invalid_prompt', node.invalid_prompt),
      ];
    case 'verify':
      return audioOf('prompt', node.prompt);
    case 'queue':
      return [{ kind: 'queue', field: 'queue_id', target: node.queue_id }];
    case 'subflow':
      return [{ kind: 'callflow', field: 'callflow_id', target: node.callflow_id }];
    case 'goto':
      return node.callflow_id === undefined
        ? []
        : [{ kind: 'callflow', field: 'callflow_id', target: node.callflow_id }];
    case 'voicemail':
      return node.number === undefined ? [] : numberAt('number', node.number);
    case 'dial':
    case 'transfer':
      return destination(node.to);
    default:
      return [];
  }
}

function destination({
  type,
  target,
}: {
  readonly type: string;
  readonly target?: string | null | undefined;
}): Named[] {
  if (target == null || hasPlaces(target)) return [];
  switch (type) {
    case 'queue':
    case 'callflow':
    case 'agent':
      return [{ kind: type, field: 'to.target', target }];
    case 'voicemail':
      return numberAt('to.target', target);
    default:
      return [];
  }
}

/** A number of the project's own. */
function numberAt(field: string, text: string): Named[] {
  return [{ kind: 'number', field, target: parseNumber(text, { allowForeign: true })?.e164 ?? text }];
}

function audioOf(field: string, given: Parameters<typeof promptsOf>[0]): Named[] {
  return promptsOf(given).flatMap((prompt) =>
    'audio_id' in prompt ? [{ kind: 'audio' as const, field, target: prompt.audio_id }] : [],
  );
}
