import { splitAt } from './headers.js';

/** An address with the parameters of its header field (`name-addr` and `addr-spec`, RFC 3261 §25.1). */
export interface NameAddress {
  readonly uri: string;
  /** Names in lower case; quotes are removed; null for a parameter without a value. */
  readonly parameters: ReadonlyMap<string, string | null>;
}

/** Null for what is no address. */
export function parseNameAddress(text: string): NameAddress | null {
  const bracketed = /^(?:"(?:[^"\\]|\\.)*"|[^"<]*)\s*<\s*([^<>\s]+)\s*>\s*(.*)$/.exec(text);
  if (bracketed) {
    const [, uri = '', tail = ''] = bracketed;
    if (tail !== '' && !tail.startsWith(';')) return null;
    return { uri, parameters: parametersOf(splitAt(tail, ';')) };
  }
  // Without brackets, parameters belong to the header field (RFC 3261 §20).
  const [uri = '', ...parameters] = splitAt(text, ';');
  return /^[a-z][a-z0-9+.-]*:[^<>"\s]+$/i.test(uri) ? { uri, parameters: parametersOf(parameters) } : null;
}

function parametersOf(texts: readonly string[]): ReadonlyMap<string, string | null> {
  return new Map(
    texts.map((text) => {
      const [, name = '', value] = /^([^=\s]+)\s*(?:=\s*(.*))?$/.exec(text) ?? [];
      return [name.toLowerCase(), value === undefined ? null : unquoted(value)] as const;
    }),
  );
}

/** Removes the quotes of a quoted string and the backslashes in it. */
export function unquoted(text: string): string {
  return /^".*"$/s.test(text) ? text.slice(1, -1).replace(/\\(.)/gs, '$1') : text;
}
