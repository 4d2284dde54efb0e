import type { SipContactRow } from '../../core/data/rows.js';
import { hostPort } from '../../core/model/host-port.js';
import { parseSipUri } from '../../core/model/sip-uri.js';
import type { SipSource, SipTarget } from '../message/request.js';
import { gruuOf } from '../registrar/contact-fields.js';
import type { Location } from '../registrar/location.js';

/**
 * Whether requests to this contact reach the phone from anywhere: it is where the phone sends from, over a transport
 * that does not depend on a connection of the phone. Otherwise there is a NAT, or the phone waits at its connection.
 */
export function isReachable(uri: string, { host, port, transport }: SipSource): boolean {
  const contact = parseSipUri(uri);
  if (contact?.scheme !== 'sip' || contact.host !== host) return false;
  if ((contact.transport ?? 'udp') !== transport) return false;
  return transport === 'tcp' ? contact.port !== null : transport === 'udp' && (contact.port ?? 5060) === port;
}

/** How a phone is called: behind its path, or at its contact, or, if that is not reachable, where it sends from. */
export function targetOf(row: SipContactRow): SipTarget {
  const source = { host: row.source_host, port: row.source_port, transport: row.transport };
  if (row.path.length > 0) return { uri: row.uri, path: row.path };
  return { uri: flowTo(row.uri, source) ?? row.uri, path: [] };
}

/** The address of a phone where it sends from; null if its contact is reachable itself. */
export function flowTo(contact: string, source: SipSource): string | null {
  if (isReachable(contact, source)) return null;
  const user = parseSipUri(contact)?.user ?? null;
  return `sip:${user === null ? '' : `${user}@`}${hostPort(source)};transport=${source.transport}`;
}

/**
 * Where requests for this contact go now. A phone that connected anew, from another port, is found by the user part of
 * its contact, which phones draw at random or keep; a phone that has another user part in calls, by its host and port.
 * @returns null if no phone with this contact is registered, or a path leads to it
 */
export async function currentFlow(
  location: Pick<Location, 'of'>,
  aor: string,
  contact: string,
): Promise<string | null> {
  const rows = await location.of(aor);
  const wanted = parseSipUri(contact);
  const known = rows.map((row) => ({ row, uri: parseSipUri(row.uri) }));
  const alike = [
    known.filter(({ row }) => row.uri === contact),
    // A phone that was given an address of its own (RFC 5627) uses that in calls.
    known.filter(({ row }) => row.instance !== null && gruuOf(row.instance) === wanted?.parameters.gr),
    known.filter(({ uri }) => wanted?.user != null && uri?.user === wanted.user),
    known.filter(({ uri }) => wanted !== null && uri?.host === wanted.host && uri.port === wanted.port),
  ];
  const [one, ...others] = alike.find(({ length }) => length > 0) ?? [];
  const found = one?.row;
  if (found === undefined || others.length > 0 || found.path.length > 0) return null;
  return targetOf(found).uri;
}

/**
 * The contacts to ring: of several flows of one phone, the last refreshed one (RFC 5626 §6).
 * @param rows the last refreshed one first
 */
export function onePerPhone(rows: readonly SipContactRow[]): readonly SipContactRow[] {
  const seen = new Set<string>();
  return rows.filter(({ instance }) => {
    if (instance === null) return true;
    const isNew = !seen.has(instance);
    seen.add(instance);
    return isNew;
  });
}
