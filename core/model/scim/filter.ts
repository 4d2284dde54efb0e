import { arabic } from '../wording/wording.js';
import { scimFault } from './fault.js';
import { tokensOf, type Token, type Value } from './tokens.js';

/** `attribute eq value`; all conditions of a filter must hold. */
export interface Condition {
  /** With the part of a complex attribute behind a dot. */
  readonly attribute: string;
  readonly value: Value;
}

/**
 * A filter of comparisons with `eq`, joined by `and`: what directories ask to find out whether somebody is here.
 * @param known the attributes that can be asked for
 * @returns conditions with these names
 * @throws HatifError SCIM_REQUEST_INVALID
 */
export function parseFilter(text: string, known: readonly string[]): readonly Condition[] {
  const tokens = tokensOf(text);
  const conditions = (tokens && readConditions(tokens)) ?? refuse(known);
  return conditions.map(({ attribute, value }) => ({
    attribute: known.find((name) => name.toLowerCase() === attribute) ?? refuse(known),
    value,
  }));
}

function refuse(known: readonly string[]): never {
  throw scimFault('invalidFilter', {
    en: `filters are comparisons with eq, joined by and, of ${known.join(', ')}`,
    ar: arabic`عوامل التصفية مقارنات بـ ${'eq'} يجمعها ${'and'}، للخصائص ${known}`,
  });
}

/**
 * `word eq value`, joined by `and`, with names in lower case; null for anything else. `emails[value eq "…"]` is
 * `emails.value eq "…"`.
 */
export function readConditions(tokens: readonly Token[]): Condition[] | null {
  const conditions: Condition[] = [];
  let rest = tokens;
  while (rest.length > 0) {
    if (conditions.length > 0) {
      if (!isWord(rest[0], 'and')) return null;
      rest = rest.slice(1);
    }
    const read = readCondition(rest);
    if (read === null) return null;
    conditions.push(read.condition);
    rest = rest.slice(read.length);
  }
  return conditions.length > 0 ? conditions : null;
}

function readCondition(tokens: readonly Token[]): { readonly condition: Condition; readonly length: number } | null {
  const [first, second, third] = tokens;
  if (first?.kind !== 'word') return null;
  const name = localName(first.text);
  if (isMark(second, '[')) {
    const inner = readCondition(tokens.slice(2));
    if (inner === null || !isMark(tokens[2 + inner.length], ']')) return null;
    const attribute = `${name}.${inner.condition.attribute}`;
    return { condition: { ...inner.condition, attribute }, length: inner.length + 3 };
  }
  if (isMark(second, '.')) {
    if (third?.kind !== 'word') return null;
    return comparison(`${name}.${third.text.toLowerCase()}`, tokens, 3);
  }
  return comparison(name, tokens, 1);
}

function comparison(attribute: string, tokens: readonly Token[], at: number): ReturnType<typeof readCondition> {
  const value = tokens[at + 1];
  if (!isWord(tokens[at], 'eq') || value?.kind !== 'value') return null;
  return { condition: { attribute, value: value.value }, length: at + 2 };
}

/** The name behind the URN of a schema, in lower case. */
export function localName(word: string): string {
  return word.slice(word.lastIndexOf(':') + 1).toLowerCase();
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text.toLowerCase() === text;
}

export function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}
