import type { SipContactRow } from '../../core/data/rows.js';
import { parseSipUri } from '../../core/model/sip-uri.js';
import type { SipSource, SipTarget } from '../message/request.js';

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

/** How a phone is called: at its contact, or, if that is not reachable, where it sends from. */
export interface PhoneTarget extends SipTarget {
  /** A proxy can pass the call on, and what follows in it arrives by itself. */
  readonly isReachable: boolean;
}

export function targetOf(row: SipContactRow): PhoneTarget {
  const source = { host: row.source_host, port: row.source_port, transport: row.transport };
  if (row.path.length > 0) return { uri: row.uri, path: row.path, isReachable: false };
  if (isReachable(row.uri, source)) return { uri: row.uri, path: [], isReachable: true };
  const user = parseSipUri(row.uri)?.user ?? row.aor;
  return { uri: `sip:${user}@${hostPort(source)};transport=${source.transport}`, path: [], isReachable: false };
}

export function hostPort({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
