import type { CallflowUses } from '../../data/rows.js';
import { invalidField } from '../../model/errors/index.js';
import { graphOf } from '../../model/flow/compile.js';
import { fixedTextsOf, referencesOf, type FixedText } from '../../model/flow/contents.js';
import {
  type FlowDefinition,
  type FlowKind,
  type GraphDefinition,
  type MenuDefinition,
} from '../../model/flow/definition.js';
import { MAX_DEFINITION_BYTES, MAX_NODES } from '../../model/flow/parts/limits.js';
import type { ReferenceKind } from '../../model/flow/parts/references.js';
import { arabic } from '../../model/wording/wording.js';

/** A definition from its row. It was validated before it was stored. */
export function storedDefinition(kind: FlowKind, definition: object): FlowDefinition {
  return kind === 'menu'
    ? { kind, definition: definition as MenuDefinition }
    : { kind, definition: definition as GraphDefinition };
}

/** @throws HatifError VALIDATION_ERROR for a definition that cannot be stored, not even as a draft */
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

/** The ids of everything that the definition refers to, each once. */
export function usesOf(definition: FlowDefinition): CallflowUses {
  const references = referencesOf(graphOf(definition));
  const targets = (kind: ReferenceKind): string[] => [
    ...new Set(references.filter((one) => one.kind === kind).map(({ target }) => target)),
  ];
  return {
    audio: targets('audio'),
    queue: targets('queue'),
    number: targets('number'),
    agent: targets('agent'),
    callflow: targets('callflow'),
    calls: [...new Set(references.filter(({ returns }) => returns).map(({ target }) => target))],
  };
}

/** The texts that are the same for every caller, so they can be synthesized before a call. */
export function fixedTexts(definition: FlowDefinition): FixedText[] {
  return fixedTextsOf(graphOf(definition));
}

/** PostgreSQL's jsonb can store neither NUL nor an unpaired surrogate. */
function holdsUnstorable(value: unknown): boolean {
  if (typeof value === 'string') return /[\0\p{Surrogate}]/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => holdsUnstorable(name) || holdsUnstorable(member));
}
