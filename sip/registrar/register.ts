import type { ContactChange } from '../../core/data/repositories/sip/contacts.js';
import type { SipContactRow } from '../../core/data/rows.js';
import { parseSipUri } from '../../core/model/sip-uri.js';
import { secondsOf, type Headers } from '../message/headers.js';
import { parseNameAddress, type NameAddress } from '../message/name-address.js';
import type { SipSource } from '../message/request.js';

/** Limits of a registrar, in seconds, and how many contacts a softphone may have. */
export interface RegistrarLimits {
  readonly shortest: number;
  readonly longest: number;
  readonly usual: number;
  readonly contacts: number;
}

/** A REGISTER that the registrar refuses with this response. */
export class RegisterRefusal extends Error {
  override readonly name = 'RegisterRefusal';
  constructor(
    readonly status: number,
    readonly reason: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(reason);
  }
}

/** An authenticated REGISTER, as far as the registrar uses it. */
export interface Register {
  readonly aor: string;
  readonly source: SipSource;
  readonly headers: Headers;
}

/**
 * Decides what a REGISTER changes (RFC 3261 §10.3, RFC 5626 §6). A request without contacts changes nothing.
 * @throws RegisterRefusal, and then nothing changes
 */
export function planRegister(
  { aor, source, headers }: Register,
  known: readonly SipContactRow[],
  now: Date,
  limits: RegistrarLimits,
): ContactChange {
  const callId = headers.first('call-id');
  const cseq = secondsOf(/^(\d+)\s/.exec(headers.first('cseq') ?? '')?.[1] ?? null);
  if (callId === null || cseq === null) throw new RegisterRefusal(400, 'Bad Request');
  const isOlder = (row: SipContactRow): boolean => row.call_id === callId && row.cseq >= cseq;
  const contacts = headers.list('contact');
  if (contacts.includes('*')) {
    if (contacts.length > 1 || headers.seconds('expires') !== 0) throw new RegisterRefusal(400, 'Invalid Contact');
    if (known.some(isOlder)) throw new RegisterRefusal(400, 'CSeq Too Low');
    return { put: [], remove: known.map(({ key }) => key) };
  }
  const path = headers.list('path').map((text) => {
    const address = parseNameAddress(text);
    if (address === null) throw new RegisterRefusal(400, 'Invalid Path');
    return address.uri;
  });
  const remove = new Set<string>();
  const put = new Map<string, SipContactRow>();
  for (const text of contacts) {
    const contact = parseNameAddress(text);
    if (contact === null || parseSipUri(contact.uri) === null) throw new RegisterRefusal(400, 'Invalid Contact');
    const key = keyOf(contact);
    // A phone may first have registered without its instance, so the URI counts as well.
    const before = known.filter((row) => row.key === key || row.uri === contact.uri);
    if (before.some(isOlder)) throw new RegisterRefusal(400, 'CSeq Too Low');
    const seconds = expiryOf(contact, headers, limits);
    for (const row of before) remove.add(row.key);
    put.delete(key);
    if (seconds === 0) continue;
    put.set(key, {
      ...{ aor, key, uri: contact.uri, instance: instanceOf(contact), path },
      ...{ source_host: source.host, source_port: source.port, transport: source.transport },
      ...{ call_id: callId, cseq, user_agent: headers.first('user-agent')?.slice(0, 200) ?? null },
      ...{ refreshed_at: now, expires_at: new Date(now.getTime() + seconds * 1000) },
    });
  }
  if (put.size > limits.contacts) throw new RegisterRefusal(403, 'Too Many Contacts');
  // A new phone replaces the one that was refreshed longest ago.
  const kept = known.filter(({ key }) => !remove.has(key));
  for (const { key } of kept.slice(Math.max(0, limits.contacts - put.size))) remove.add(key);
  return { put: [...put.values()], remove: [...remove].filter((key) => !put.has(key)) };
}

/** The phone's instance and flow, which last longer than its URI; otherwise the URI. */
function keyOf(contact: NameAddress): string {
  const instance = instanceOf(contact);
  if (instance === null) return contact.uri;
  return `${instance} ${contact.parameters.get('reg-id') ?? '0'}`;
}

function instanceOf({ parameters }: NameAddress): string | null {
  const instance = parameters.get('+sip.instance') ?? null;
  return instance !== null && /^<[^<>\s]{1,200}>$/.test(instance) ? instance : null;
}

function expiryOf({ parameters }: NameAddress, headers: Headers, limits: RegistrarLimits): number {
  const asked = secondsOf(parameters.get('expires') ?? null) ?? headers.seconds('expires') ?? limits.usual;
  if (asked > 0 && asked < limits.shortest) {
    throw new RegisterRefusal(423, 'Interval Too Brief', { 'Min-Expires': String(limits.shortest) });
  }
  return Math.min(asked, limits.longest);
}
