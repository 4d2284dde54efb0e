import { parseNumber } from '../../phone-numbers.js';
import { hasPlaceholders } from './template.js';

export type ReferenceKind = 'audio' | 'queue' | 'number' | 'callflow' | 'agent';

/** Something outside the flow that a node refers to. */
export interface NodeReference {
  readonly kind: ReferenceKind;
  /** The path of the member in the node. */
  readonly field: string;
  /** The id; for a number its E.164 form, for an agent the extension. */
  readonly target: string;
  /** Set on a reference to a flow that returns the call to this node. */
  readonly returns?: true;
}

/** A number of the project. */
export function numberReference(field: string, text: string): NodeReference {
  return { kind: 'number', field, target: parseNumber(text, { allowForeign: true })?.e164 ?? text };
}

/** The reference in a node's `to`; none if the target is a variable, whose value is known only during a call. */
export function destinationReferences({
  type,
  target,
}: {
  readonly type: string;
  readonly target?: string | null | undefined;
}): NodeReference[] {
  if (target == null || hasPlaceholders(target)) return [];
  switch (type) {
    case 'queue':
    case 'callflow':
    case 'agent':
      return [{ kind: type, field: 'to.target', target }];
    case 'voicemail':
      return [numberReference('to.target', target)];
    default:
      return [];
  }
}
