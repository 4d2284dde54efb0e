import { isIP } from 'node:net';
import type { AgentRow, EngineRow, TrunkRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import type { HostPort } from '../../model/host-port.js';
import type { Softphone, Trunk } from '../../ports/engine.js';

/** Another engine, where it takes SIP. */
export interface Peer extends HostPort {
  readonly engineId: string;
}

/** One phone an agent: a phone that registers takes the place of the one before, so that a moved laptop is not rung in vain. */
const MAX_CONTACTS = 1;

export function softphoneOf(row: AgentRow, cipher: Cipher): Softphone {
  return {
    aor: row.aor,
    password: cipher.open(row.sip_password),
    displayName: row.display_name,
    maxContacts: MAX_CONTACTS,
  };
}

export function trunkOf(row: TrunkRow, cipher: Cipher): Trunk {
  return {
    trunkId: row.id,
    host: row.host,
    port: row.port,
    transport: row.transport,
    credentials:
      row.username !== null && row.password !== null
        ? { username: row.username, password: cipher.open(row.password) }
        : null,
    inboundAddresses: row.inbound_addresses,
  };
}

/** Where the engine takes SIP; null where nobody said. */
export function sipOf({ sip_host: host, sip_port: port }: EngineRow): HostPort | null {
  return host === null || port === null ? null : { host, port };
}

/** The other engines, as one of them sees them. */
export function peersOf(engineId: string, engines: readonly EngineRow[]): readonly Peer[] {
  return engines.flatMap((row) => {
    const sip = sipOf(row);
    return sip && row.id !== engineId ? [{ engineId: row.id, ...sip }] : [];
  });
}

/** An engine sends over UDP from the port that it listens on; naming that keeps it apart from the phones behind one address with it. */
export function peerTrunk({ engineId, host, port }: Peer): Trunk {
  const family = isIP(host);
  const source = family === 0 ? host : family === 6 ? `[${host}]:${port}` : `${host}:${port}`;
  return {
    trunkId: engineId,
    host,
    port,
    transport: 'udp',
    credentials: null,
    inboundAddresses: [source],
    isPeer: true,
  };
}
