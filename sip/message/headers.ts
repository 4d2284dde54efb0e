/**
 * The header fields of a SIP message (RFC 3261 §7.3), read from its text. drachtio-srf's own parser joins several fields
 * of one name and gives up at some that are legal.
 */

/** Short names (RFC 3261 §7.3.3 and the RFCs that define the fields). */
const SHORT: Readonly<Record<string, string>> = {
  a: 'accept-contact',
  b: 'referred-by',
  c: 'content-type',
  e: 'content-encoding',
  f: 'from',
  i: 'call-id',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  o: 'event',
  r: 'refer-to',
  s: 'subject',
  t: 'to',
  u: 'allow-events',
  v: 'via',
  x: 'session-expires',
};

/** Senders write a few dozen names; strangers may write any. */
const MAX_NAMES = 1_000;
const canonicalNames = new Map<string, string>();

/** The whole name of a field, in lower case. */
export function canonicalName(name: string): string {
  const known = canonicalNames.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  const canonical = SHORT[lower] ?? lower;
  if (canonicalNames.size < MAX_NAMES) canonicalNames.set(name, canonical);
  return canonical;
}

export class Headers {
  readonly #fields = new Map<string, string[]>();

  /** @param message the text of the message, with or without its body */
  constructor(message: string) {
    for (const line of linesOf(message).slice(1)) {
      const field = fieldIn(line);
      if (field === null) continue;
      const name = canonicalName(field[0]);
      const values = this.#fields.get(name);
      if (values) values.push(field[1]);
      else this.#fields.set(name, [field[1]]);
    }
  }

  /** The value of each field of this name, in order. @param name in lower case, not short */
  all(name: string): readonly string[] {
    return this.#fields.get(name) ?? [];
  }

  first(name: string): string | null {
    return this.all(name)[0] ?? null;
  }

  /** The names that occur, whole and in lower case. */
  names(): readonly string[] {
    return [...this.#fields.keys()];
  }

  /** The values of a field that is a list: separated by commas, and over several fields. */
  list(name: string): readonly string[] {
    return this.all(name).flatMap((value) => splitAt(value, ','));
  }

  /** Whether a list of tokens (`Supported`, `Require`) has this one. */
  hasToken(name: string, token: string): boolean {
    return this.list(name).some((one) => one.toLowerCase() === token);
  }

  /** A number of seconds; null if it is missing or none. */
  seconds(name: string): number | null {
    return secondsOf(this.first(name));
  }
}

/** The lines before the body. A line that begins with white space continues the one before. */
export function linesOf(message: string): readonly string[] {
  const gap = /\r?\n\r?\n/.exec(message);
  const head = gap === null ? message : message.slice(0, gap.index);
  return (/\n[ \t]/.test(head) ? head.replace(/\r?\n[ \t]+/g, ' ') : head).split(/\r?\n/);
}

const WRITTEN_NAME = /^[^\s:]+[ \t]*$/;

/** The name as it is written, and the value; null for a line that is no field. */
export function fieldIn(line: string): readonly [name: string, value: string] | null {
  const colon = line.indexOf(':');
  const written = line.slice(0, Math.max(0, colon));
  if (!WRITTEN_NAME.test(written)) return null;
  return [written.trimEnd(), withoutBlanks(line, colon + 1)];
}

/** Without the spaces and tabs at both ends: other white space may be a byte of a character. */
function withoutBlanks(line: string, from: number): string {
  let [start, end] = [from, line.length];
  while (isBlank(line[start])) start += 1;
  while (end > start && isBlank(line[end - 1])) end -= 1;
  return line.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

/** `delta-seconds`; null for what is no number. RFC 3261 allows up to 2^32 - 1. */
export function secondsOf(text: string | null): number | null {
  return text !== null && /^\d{1,10}$/.test(text) ? Math.min(Number(text), 2 ** 32 - 1) : null;
}

/** Splits at the separator, except in quotes and in angle brackets. Empty parts are left out. */
export function splitAt(text: string, separator: ',' | ';'): readonly string[] {
  const parts: string[] = [];
  let [part, quoted, bracketed] = ['', false, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quoted && character === '\\') {
      part += character + (text[at + 1] ?? '');
      at += 1;
      continue;
    }
    if (character === '"' && !bracketed) quoted = !quoted;
    else if (character === '<' && !quoted) bracketed = true;
    else if (character === '>' && !quoted) bracketed = false;
    if (character === separator && !quoted && !bracketed) {
      parts.push(part.trim());
      part = '';
    } else part += character;
  }
  return [...parts, part.trim()].filter((one) => one !== '');
}
