import type { GraphDefinition } from './definition.js';
import { descriptorOf, type FlowNode } from './node-types.js';
import { RETURN, type FlowLanguage } from './parts/fields.js';
import type { FlowLink } from './parts/links.js';
import type { NodeReference } from './parts/references.js';
import { hasPlaceholders } from './parts/template.js';

/** A reference, with the id of the node that contains it. */
export interface FlowReference extends NodeReference {
  readonly node: string;
}

/** Every way out that the node has, or must have. */
export function linksOf(node: FlowNode): FlowLink[] {
  return descriptorOf(node).links(node);
}

/** The ids of the nodes that can come next. */
export function successorsOf(node: FlowNode): string[] {
  return linksOf(node).flatMap(({ target }) => (target === null || target === RETURN ? [] : [target]));
}

/** Everything outside the flow that its nodes refer to. Targets that are variables are not included. */
export function referencesOf({ nodes }: GraphDefinition): FlowReference[] {
  return Object.entries(nodes).flatMap(([id, node]) => referencesOfNode(node).map((one) => ({ ...one, node: id })));
}

function referencesOfNode(node: FlowNode): NodeReference[] {
  const descriptor = descriptorOf(node);
  const audio = (descriptor.prompts?.(node) ?? []).flatMap(([field, prompt]): NodeReference[] =>
    'audio_id' in prompt ? [{ kind: 'audio', field, target: prompt.audio_id }] : [],
  );
  return [...audio, ...(descriptor.references?.(node) ?? [])];
}

/** A text that is spoken, with the language of the voice. */
export interface FixedText {
  readonly text: string;
  readonly language: FlowLanguage;
}

/** The spoken texts that contain no variables, so they are the same in every call. */
export function fixedTextsOf({ nodes, language = 'ar' }: GraphDefinition): FixedText[] {
  const prompts = Object.values(nodes).flatMap((node) => descriptorOf(node).prompts?.(node) ?? []);
  return prompts.flatMap(([, prompt]) => {
    if (!('text' in prompt) || hasPlaceholders(prompt.text)) return [];
    return [{ text: prompt.text, language: prompt.language ?? language }];
  });
}
