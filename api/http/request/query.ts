import { invalidField } from '../../../core/model/errors/index.js';
import { isKeepable } from '../../../core/model/keepable-text.js';
import { BAD_TEXT } from './json.js';

/** Query parameters by name; a repeated parameter is a list. */
export type RawQuery = Record<string, string | string[]>;

/**
 * Reads the query string of a request target. Invalid percent-encoding is kept as it is. A `+` becomes a blank, as in
 * forms; times and phone numbers read such a blank as a plus (see schemas.ts).
 * @throws HatifError VALIDATION_ERROR for text that PostgreSQL cannot store (NUL).
 */
export function readQuery(target: string): RawQuery {
  const query: RawQuery = Object.create(null) as RawQuery;
  const start = target.indexOf('?');
  if (start === -1) return query;
  for (const [name, value] of new URLSearchParams(target.slice(start + 1))) {
    if (!isKeepable(name)) throw invalidField('query', BAD_TEXT);
    if (!isKeepable(value)) throw invalidField(name, BAD_TEXT);
    const before = query[name];
    if (before === undefined) query[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else query[name] = [before, value];
  }
  return query;
}

const TWICE = { en: 'must be given once', ar: 'يجب أن يرد مرة واحدة' };

/** @returns the query. @throws HatifError VALIDATION_ERROR for a repeated parameter. */
export function givenOnce(query: RawQuery): RawQuery {
  const repeated = Object.keys(query).find((name) => Array.isArray(query[name]));
  if (repeated !== undefined) throw invalidField(repeated, TWICE);
  return query;
}
