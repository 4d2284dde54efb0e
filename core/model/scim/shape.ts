/** A JSON object whose members are not checked yet. */
export type Document = Readonly<Record<string, unknown>>;

/** An attribute that Hatif keeps. */
export interface AttributeShape {
  readonly name: string;
  /** `list`: of objects. */
  readonly kind: 'simple' | 'complex' | 'list';
  /** The names of its parts; empty for a simple one. */
  readonly parts: readonly string[];
}

/** The attributes of a resource that Hatif keeps. Directories may send others, which are not kept. */
export type Shape = readonly AttributeShape[];

const simple = (name: string): AttributeShape => ({ name, kind: 'simple', parts: [] });

export const USER_SHAPE: Shape = [
  ...['userName', 'externalId', 'displayName', 'active', 'locale', 'preferredLanguage'].map(simple),
  { name: 'name', kind: 'complex', parts: ['formatted', 'givenName', 'familyName'] },
  { name: 'emails', kind: 'list', parts: ['value', 'type', 'primary'] },
];

export const GROUP_SHAPE: Shape = [
  ...['externalId', 'displayName'].map(simple),
  { name: 'members', kind: 'list', parts: ['value'] },
];

/** The attribute with this name, in any case (RFC 7643 §2.1). */
export function attributeNamed(shape: Shape, name: string): AttributeShape | undefined {
  return shape.find((attribute) => attribute.name.toLowerCase() === name.toLowerCase());
}

/** The name of a part of the attribute as the standard writes it; null for a part that is not kept. */
export function partNamed({ parts }: AttributeShape, name: string): string | null {
  return parts.find((part) => part.toLowerCase() === name.toLowerCase()) ?? null;
}

/** The attributes that are kept, under the names of the standard. */
export function kept(document: Document, shape: Shape): Document {
  const members = Object.entries(document).flatMap(([name, value]) => {
    const attribute = attributeNamed(shape, name);
    return attribute === undefined ? [] : [[attribute.name, keptValue(value, attribute)] as const];
  });
  return Object.fromEntries(members);
}

function keptValue(value: unknown, attribute: AttributeShape): unknown {
  if (attribute.kind === 'complex') return keptParts(value, attribute);
  if (attribute.kind === 'simple' || !Array.isArray(value)) return value;
  return value.map((item) => keptParts(item, attribute));
}

/** The parts of one object; what is no object stays, and is refused later. */
export function keptParts(value: unknown, attribute: AttributeShape): unknown {
  if (!isDocument(value)) return value;
  const parts = Object.entries(value).flatMap(([name, each]) => {
    const part = partNamed(attribute, name);
    return part === null ? [] : [[part, each] as const];
  });
  return Object.fromEntries(parts);
}

export function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
