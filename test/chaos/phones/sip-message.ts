/** A SIP message over UDP: the part of RFC 3261 that the phones of the chaos test need. */
export interface SipMessage {
  /** Null for a response. */
  readonly method: string | null;
  /** The user part of a request's URI. */
  readonly user: string;
  /** The status of a response; 0 for a request. */
  readonly status: number;
  readonly startLine: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export function parseSip(text: string): SipMessage | null {
  const split = text.indexOf('\r\n\r\n');
  if (split === -1) return null;
  const [startLine = '', ...lines] = text
    .slice(0, split)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  const answer = /^SIP\/2\.0 (\d{3})/.exec(startLine);
  const request = /^([A-Z]+) (\S+) SIP\/2\.0$/.exec(startLine);
  if (!answer && !request) return null;
  return {
    method: request?.[1] ?? null,
    user: userOf(request?.[2] ?? ''),
    status: Number(answer?.[1] ?? 0),
    startLine,
    headers,
    body: text.slice(split + 4),
  };
}

export function header(message: SipMessage, name: string): string {
  return message.headers.find(([known]) => known === name)?.[1] ?? '';
}

export function allOf(message: SipMessage, name: string): string[] {
  return message.headers.filter(([known]) => known === name).map(([, value]) => value);
}

/** `sip:+966…@host:port` → `+966…`; also of a whole header value. */
export function userOf(address: string): string {
  return decodeURIComponent(/sips?:([^@;>]+)@/.exec(address)?.[1] ?? '');
}

/** The address between the angle brackets. */
export function uriOf(value: string): string {
  return /<([^>]+)>/.exec(value)?.[1] ?? value.replace(/;.*$/, '').trim();
}

export function tagOf(value: string): string {
  return /;tag=([^;>\s]+)/.exec(value)?.[1] ?? '';
}

/** The number and the method of `CSeq`. */
export function sequenceOf(message: SipMessage): { readonly number: number; readonly method: string } {
  const [number = '0', method = ''] = header(message, 'cseq').split(/\s+/);
  return { number: Number(number), method };
}

export function buildSip(startLine: string, headers: readonly (readonly [string, string])[], body = ''): string {
  const all = [...headers, ...(body === '' ? [] : [['Content-Type', 'application/sdp'] as const])];
  return [
    startLine,
    ...all.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

/** An offer or answer with only G.711 A-law: if two codecs were negotiated, the engine might switch between them. */
export function sdp(port: number): string {
  return [
    'v=0',
    'o=phone 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP 8 101`,
    'a=rtpmap:8 PCMA/8000',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    'a=ptime:20',
    '',
  ].join('\r\n');
}

/** The address to which the other side wants its audio; null if the body has none. */
export function audioAddress(body: string): { readonly host: string; readonly port: number } | null {
  const port = /^m=audio (\d+)/m.exec(body)?.[1];
  const host = /^c=IN IP4 (\S+)/m.exec(body)?.[1];
  return port === undefined || host === undefined ? null : { host: host.trim(), port: Number(port) };
}
