import { arabic } from '../wording/wording.js';
import { scimFault } from './fault.js';
import { isMark, localName, readConditions, type Condition } from './filter.js';
import {
  attributeNamed,
  isDocument,
  keptParts,
  partNamed,
  type AttributeShape,
  type Document,
  type Shape,
} from './shape.js';
import { tokensOf } from './tokens.js';

/** One operation of a PATCH (RFC 7644 §3.5.2). */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path?: string | undefined;
  readonly value?: unknown;
}

/** What a path names: an attribute, which of its values, and which part of them. */
interface Target {
  readonly attribute: string;
  readonly conditions: readonly Condition[] | null;
  readonly part: string | null;
}

/**
 * The document after the operations, one after another. Attributes that are not kept are passed over.
 * @throws HatifError SCIM_REQUEST_INVALID: nothing is changed
 */
export function patched(document: Document, operations: readonly PatchOperation[], shape: Shape): Document {
  return operations.reduce((before, operation) => applied(before, operation, shape), document);
}

function applied(document: Document, { op, path, value }: PatchOperation, shape: Shape): Document {
  if (path !== undefined) return appliedAt(document, op, readPath(path) ?? badPath(path), value, shape);
  if (op === 'remove') throw scimFault('noTarget', { en: 'remove needs a path', ar: arabic`${'remove'} تتطلب مسارًا` });
  if (!isDocument(value)) throw badValue('value');
  return Object.entries(value).reduce((before, [name, each]) => {
    const target = readPath(name);
    return target === null ? before : appliedAt(before, op, target, each, shape);
  }, document);
}

function appliedAt(
  document: Document,
  op: PatchOperation['op'],
  target: Target,
  value: unknown,
  shape: Shape,
): Document {
  const attribute = attributeNamed(shape, target.attribute);
  if (attribute === undefined) return document;
  if (op !== 'remove' && value === undefined) throw badValue(attribute.name);
  const { name } = attribute;
  switch (attribute.kind) {
    case 'simple':
      if (target.conditions !== null || target.part !== null) return badPath(name);
      return op === 'remove' ? without(document, name) : { ...document, [name]: value };
    case 'complex':
      if (target.conditions !== null) return badPath(name);
      return withComplex(document, op, attribute, target.part, value);
    case 'list':
      return { ...document, [name]: listAfter(itemsOf(document[name]), op, attribute, target, value) };
  }
}

function withComplex(
  document: Document,
  op: PatchOperation['op'],
  attribute: AttributeShape,
  givenPart: string | null,
  value: unknown,
): Document {
  const { name } = attribute;
  const before = isDocument(document[name]) ? document[name] : {};
  if (givenPart === null) {
    if (op === 'remove') return without(document, name);
    if (!isDocument(value)) throw badValue(name);
    return { ...document, [name]: { ...before, ...(keptParts(value, attribute) as Document) } };
  }
  const part = partNamed(attribute, givenPart);
  if (part === null) return document;
  return { ...document, [name]: op === 'remove' ? without(before, part) : { ...before, [part]: value } };
}

function listAfter(
  items: readonly Document[],
  op: PatchOperation['op'],
  attribute: AttributeShape,
  { conditions, part: givenPart }: Target,
  value: unknown,
): readonly Document[] {
  if (conditions === null && givenPart === null) return wholeListAfter(items, op, attribute, value);
  const part = givenPart === null ? null : partNamed(attribute, givenPart);
  if (givenPart !== null && part === null) return items;
  const fits = (item: Document): boolean => conditions?.every((each) => holds(item, each)) !== false;
  if (op === 'remove') {
    if (part === null) return items.filter((item) => !fits(item));
    return items.map((item) => (fits(item) ? without(item, part) : item));
  }
  const change = part === null ? keptParts(value, attribute) : { [part]: value };
  if (!isDocument(change)) throw badValue(attribute.name);
  if (items.some(fits)) return items.map((item) => (fits(item) ? { ...item, ...change } : item));
  // Directories set `emails[type eq "work"].value` before there is such an address.
  return [
    ...items,
    { ...Object.fromEntries((conditions ?? []).map((each) => [each.attribute, each.value])), ...change },
  ];
}

function wholeListAfter(
  items: readonly Document[],
  op: PatchOperation['op'],
  attribute: AttributeShape,
  value: unknown,
): readonly Document[] {
  if (op === 'remove' && value === undefined) return [];
  const given = (Array.isArray(value) ? value : [value]).map((each: unknown) => {
    const item = keptParts(typeof each === 'string' ? { value: each } : each, attribute);
    if (!isDocument(item)) throw badValue(attribute.name);
    return item;
  });
  const named = new Set(given.map((item) => item.value));
  const others = items.filter((item) => !named.has(item.value));
  if (op === 'remove') return others;
  return op === 'replace' ? given : [...others, ...given];
}

/** Whether the value of a list is meant: texts are compared in any case. */
function holds(item: Document, { attribute, value }: Condition): boolean {
  const actual = item[attribute];
  if (typeof actual === 'string' && typeof value === 'string') return actual.toLowerCase() === value.toLowerCase();
  return actual === value;
}

/** `name`, `name.part`, `name[part eq value]` or `name[part eq value].part`; null for anything else. */
function readPath(text: string): Target | null {
  const tokens = tokensOf(text);
  const [first] = tokens ?? [];
  if (tokens === null || first?.kind !== 'word') return null;
  // An extension's attribute is not kept, whatever its name is.
  const attribute = isForeign(first.text) ? first.text : localName(first.text);
  let rest = tokens.slice(1);
  let conditions: readonly Condition[] | null = null;
  if (isMark(rest[0], '[')) {
    const end = rest.findIndex((token) => isMark(token, ']'));
    conditions = end === -1 ? null : readConditions(rest.slice(1, end));
    if (conditions === null) return null;
    rest = rest.slice(end + 1);
  }
  if (rest.length === 0) return { attribute, conditions, part: null };
  const [dot, part, ...more] = rest;
  if (!isMark(dot, '.') || part?.kind !== 'word' || more.length > 0) return null;
  return { attribute, conditions, part: part.text };
}

function isForeign(word: string): boolean {
  return word.includes(':') && !/^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):\w+$/i.test(word);
}

function itemsOf(value: unknown): readonly Document[] {
  return Array.isArray(value) ? value.filter(isDocument) : [];
}

function without(document: Document, name: string): Document {
  return Object.fromEntries(Object.entries(document).filter(([each]) => each !== name));
}

function badPath(path: string): never {
  throw scimFault('invalidPath', {
    en: `the path ${path} cannot be used`,
    ar: arabic`لا يمكن استخدام المسار ${path}`,
  });
}

function badValue(name: string): Error {
  return scimFault('invalidValue', {
    en: `the value of ${name} cannot be used`,
    ar: arabic`لا يمكن استخدام قيمة ${name}`,
  });
}
