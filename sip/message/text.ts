import { canonicalName, fieldIn, linesOf, splitAt } from './headers.js';

/** A header field: its name as written, and its value. */
export type Field = readonly [name: string, value: string];

/** Fields of which one line may hold several, which proxies take off one by one. */
const HOPS: ReadonlySet<string> = new Set(['via', 'route', 'record-route']);
const REQUEST = /^([\w.!%*+`'~-]+) (\S+) SIP\/2\.0$/i;
const RESPONSE = /^SIP\/2\.0 (\d{3})(?: |$)/i;
const NEEDED = ['via', 'from', 'to', 'call-id', 'cseq'] as const;

/** A whole SIP message in a datagram (RFC 3261 §7, §18.3), to be changed and sent on. Bytes that nobody changes stay. */
export class SipText {
  readonly #request: RegExpExecArray | null;

  private constructor(
    /** The first line. */
    readonly start: string,
    readonly fields: readonly Field[],
    readonly body: string,
  ) {
    this.#request = REQUEST.exec(start);
  }

  static of(start: string, fields: readonly Field[], body = ''): SipText {
    return new SipText(start, fields, body);
  }

  /** Null for what is no message, is cut off, or lacks a field that every message has. */
  static parse(datagram: Buffer): SipText | null {
    // One character for each byte.
    const text = datagram.toString('latin1').replace(/^(?:\r?\n)+/, '');
    const gap = /\r?\n\r?\n/.exec(text);
    const [start = '', ...lines] = linesOf(text);
    if (gap === null || !(REQUEST.test(start) || RESPONSE.test(start))) return null;
    const fields = lines.flatMap(fieldsOf);
    const message = new SipText(start, fields, text.slice(gap.index + gap[0].length));
    if (NEEDED.some((name) => message.first(name) === null)) return null;
    const length = message.first('content-length');
    if (length === null) return message;
    if (!/^\d{1,5}$/.test(length) || Number(length) > message.body.length) return null;
    return new SipText(start, fields, message.body.slice(0, Number(length)));
  }

  /** Null for a response. */
  get method(): string | null {
    return this.#request?.[1]?.toUpperCase() ?? null;
  }

  /** The address of a request; empty for a response. */
  get uri(): string {
    return this.#request?.[2] ?? '';
  }

  /** Null for a request. */
  get status(): number | null {
    const [, status] = RESPONSE.exec(this.start) ?? [];
    return status === undefined ? null : Number(status);
  }

  /** The method that a response answers. */
  get answered(): string {
    return /^\d+\s+(\S+)/.exec(this.first('cseq') ?? '')?.[1]?.toUpperCase() ?? '';
  }

  /** Whether it belongs to a dialog. */
  get isInDialog(): boolean {
    return /;\s*tag=/i.test(this.first('to') ?? '');
  }

  /** @param name whole, in lower case */
  all(name: string): readonly string[] {
    return this.fields.flatMap(([field, value]) => (canonicalName(field) === name ? [value] : []));
  }

  first(name: string): string | null {
    return this.fields.find(([field]) => canonicalName(field) === name)?.[1] ?? null;
  }

  withUri(uri: string): SipText {
    return new SipText(`${this.method} ${uri} SIP/2.0`, this.fields, this.body);
  }

  /** @param change returns the field in its new form, or null to leave it out. `name`: whole, in lower case */
  map(change: (name: string, value: string) => string | null): SipText {
    const fields = this.fields.flatMap(([name, value]): Field[] => {
      const changed = change(canonicalName(name), value);
      return changed === null ? [] : [[name, changed]];
    });
    return new SipText(this.start, fields, this.body);
  }

  /** Replaces all fields of this name, at the front: the order of the others says nothing about them (§7.3.1). */
  with(name: string, values: readonly string[]): SipText {
    const others = this.fields.filter(([field]) => canonicalName(field) !== name.toLowerCase());
    return new SipText(this.start, [...values.map((value): Field => [name, value]), ...others], this.body);
  }

  withBody(body: string): SipText {
    return new SipText(this.start, this.fields, body);
  }

  toBuffer(): Buffer {
    const lines = this.fields.filter(([name]) => canonicalName(name) !== 'content-length');
    const length: Field = ['Content-Length', String(this.body.length)];
    const head = [this.start, ...[...lines, length].map(([name, value]) => `${name}: ${value}`)];
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${this.body}`, 'latin1');
  }
}

function fieldsOf(line: string): Field[] {
  const field = fieldIn(line);
  if (field === null) return [];
  const [name, value] = field;
  if (!HOPS.has(canonicalName(name))) return [field];
  return splitAt(value, ',').map((one): Field => [name, one]);
}
