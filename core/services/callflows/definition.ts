import type { CallflowUses } from '../../data/rows.js';
import { invalidField } from '../../model/errors/index.js';
import { graphOf } from '../../model/flow/compile.js';
import {
  type FlowDefinition,
  type FlowKind,
  type GraphDefinition,
  type MenuDefinition,
} from '../../model/flow/definition.js';
import { MAX_DEFINITION_BYTES, MAX_NODES } from '../../model/flow/limits.js';
import { referencesOf, type FlowReference } from '../../model/flow/references.js';
import { promptsOf, type FlowLanguage } from '../../model/flow/parts.js';
import { hasPlaces } from '../../model/flow/template.js';
import { arabic } from '../../model/wording/wording.js';

/** A definition as it was written down; it was checked then. */
export function storedDefinition(kind: FlowKind, definition: object): FlowDefinition {
  return kind === 'menu'
    ? { kind, definition: definition as MenuDefinition }
    : { kind, definition: definition as GraphDefinition };
}

/** @throws HatifError VALIDATION_ERROR for a definition that cannot even be written down */
export function assertStorable({ kind, definition }: FlowDefinition): void {
  if (kind === 'graph' && Object.keys(definition.nodes).length > MAX_NODES) {
    throw invalidField('definition.nodes', {
      en: `must have at most ${MAX_NODES} nodes`,
      ar: arabic`يجب ألا يزيد عدد العقد على ${MAX_NODES}`,
    });
  }
  if (Buffer.byteLength(JSON.stringify(definition)) > MAX_DEFINITION_BYTES) {
    throw invalidField('definition', {
      en: `must have at most ${MAX_DEFINITION_BYTES} bytes`,
      ar: arabic`يجب ألا يزيد حجمه على ${MAX_DEFINITION_BYTES} بايت`,
    });
  }
  if (holdsUnstorable(definition)) {
    throw invalidField('definition', {
      en: 'must not contain NUL or unpaired surrogates',
      ar: 'يجب ألا يحتوي على المحرف NUL أو على نصف زوج بديل (surrogate)',
    });
  }
}

/** What the definition names, once each. */
export function usesOf(definition: FlowDefinition): CallflowUses {
  const references = referencesOf(graphOf(definition));
  const named = (kind: FlowReference['kind']): string[] => [
    ...new Set(references.filter((one) => one.kind === kind).map(({ target }) => target)),
  ];
  return {
    audio: named('audio'),
    queue: named('queue'),
    number: named('number'),
    agent: named('agent'),
    callflow: named('callflow'),
    calls: [...new Set(references.filter(({ returns }) => returns).map(({ target }) => target))],
  };
}

/** The texts that are the same for every caller. */
export function fixedTexts(definition: FlowDefinition): { text: string; language: FlowLanguage }[] {
  const graph = graphOf(definition);
  const prompts = Object.values(graph.nodes).flatMap((node) => {
    switch (node.type) {
      case 'say':
        return [node];
      case 'menu':
      case 'auth_menu':
      case 'gather':
        return [node.prompt, node.no_input_prompt, node.invalid_prompt].flatMap(promptsOf);
      case 'verify':
        return [...promptsOf(node.prompt)];
      default:
        return [];
    }
  });
  return prompts.flatMap((prompt) => {
    if (!('text' in prompt) || hasPlaces(prompt.text)) return [];
    return [{ text: prompt.text, language: prompt.language ?? graph.language ?? 'ar' }];
  });
}

/** PostgreSQL's jsonb can hold neither NUL nor half of a surrogate pair. */
function holdsUnstorable(value: unknown): boolean {
  if (typeof value === 'string') return /[\0\p{Surrogate}]/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => holdsUnstorable(name) || holdsUnstorable(member));
}
