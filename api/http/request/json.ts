import { isKeepable } from '../../../core/model/keepable-text.js';

const DEEPEST = 64;

/** The fault `bad_text`, also of a query. */
export const BAD_TEXT = {
  en: 'must not contain NUL or half of a surrogate pair',
  ar: 'يجب ألا يحتوي على المحرف NUL أو على نصف زوج بديل (surrogate)',
};

/** Why a JSON value is rejected although it parses: it cannot be stored or traversed safely. */
export interface JsonFault {
  readonly path: readonly (string | number)[];
  readonly fault: 'too_deep' | 'bad_text' | 'bad_name';
}

/**
 * The first part of a parsed JSON value that must be rejected: nesting deeper than 64 levels, text that PostgreSQL
 * cannot store (NUL, half a surrogate pair), or a name that reaches into an object's prototype.
 */
export function findJsonFault(value: unknown, path: readonly (string | number)[] = []): JsonFault | null {
  if (typeof value === 'string') return isKeepable(value) ? null : { path, fault: 'bad_text' };
  if (typeof value !== 'object' || value === null) return null;
  if (path.length >= DEEPEST) return { path: path.slice(0, 8), fault: 'too_deep' };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const fault = findJsonFault(item, [...path, index]);
      if (fault) return fault;
    }
    return null;
  }
  for (const [name, item] of Object.entries(value)) {
    if (name === '__proto__' || !isKeepable(name)) return { path, fault: 'bad_name' };
    const fault = findJsonFault(item, [...path, name]);
    if (fault) return fault;
  }
  return null;
}

/** JSON with sorted members, so that equal values give equal text: the fingerprint of idempotent retries. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, item]) => `${JSON.stringify(name)}:${canonicalJson(item)}`);
  return `{${members.join(',')}}`;
}
