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
  readonly #fields: readonly (readonly [name: string, value: string])[];

  /** @param message the text of the message, with or without its body */
  constructor(message: string) {
    const [head = ''] = message.split(/\r?\n\r?\n/, 1);
    // A line that begins with white space continues the one before.
    const [, ...lines] = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
    this.#fields = lines.flatMap((line) => {
      const [, name, value] = /^([^\s:]+)[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
      if (name === undefined || value === undefined) return [];
      return [[canonicalName(name), value] as const];
    });
  }

  /** The value of each field of this name, in order. @param name in lower case, not short */
  all(name: string): readonly string[] {
    return this.#fields.flatMap(([field, value]) => (field === name ? [value] : []));
  }

  first(name: string): string | null {
    return this.all(name)[0] ?? null;
  }

  /** The names of all fields, whole and in lower case. */
  names(): readonly string[] {
    return this.#fields.map(([name]) => name);
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
