/** One word, mark or value of a filter or path. */
export type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'mark'; readonly text: '[' | ']' | '.' }
  | { readonly kind: 'value'; readonly value: Value };

export type Value = string | number | boolean | null;

const LONGEST = 2_000;
const SPACE = /\s+/y;
const MARK = /[[\].]/y;
/** As JSON has them: no alternative begins as another does, so a hostile text takes no longer than any other. */
const STRING = /"(?:[^"\\]|\\.)*"/y;
const NUMBER = /-?\d+(?:\.\d+)?(?![\w-])/y;
/** A name, or a URN with a name; versions in it have dots between digits (`core:2.0:User`). */
const WORD = /(?:[A-Za-z$][\w$-]*(?::[\w$-]+(?:\.\d+)*)*)/y;
const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** The tokens of a filter or path (RFC 7644, figures 1 and 7); null if it has others. */
export function tokensOf(text: string): Token[] | null {
  if (text.length > LONGEST) return null;
  const tokens: Token[] = [];
  let at = 0;
  const take = (form: RegExp): string | null => {
    form.lastIndex = at;
    const [found] = form.exec(text) ?? [];
    if (found === undefined) return null;
    at += found.length;
    return found;
  };
  while (at < text.length) {
    if (take(SPACE) !== null) continue;
    const mark = take(MARK);
    if (mark !== null) {
      tokens.push({ kind: 'mark', text: mark as '[' });
      continue;
    }
    const value = take(STRING) ?? take(NUMBER);
    if (value !== null) {
      const read = jsonValue(value);
      if (read === undefined) return null;
      tokens.push({ kind: 'value', value: read });
      continue;
    }
    const word = take(WORD);
    if (word === null) return null;
    const constant = CONSTANTS.get(word.toLowerCase());
    tokens.push(constant === undefined ? { kind: 'word', text: word } : { kind: 'value', value: constant });
  }
  return tokens;
}

function jsonValue(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return undefined;
  }
}
