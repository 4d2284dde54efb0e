import { isIP } from 'node:net';
import type { AgentRow, EngineRow, TrunkRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import type { HostPort } from '../../model/host-port.js';
import type { Softphone, Trunk } from '../../ports/engine/peers.js';

/** Another engine and its SIP address. */
export interface Peer extends HostPort {
  readonly engineId: string;
}

/**
 * One phone per agent: a new registration replaces the previous one, so that a laptop's old address is not rung in
 * vain.
 */
const MAX_CONTACTS = 1;

/** What an engine needs of an agent, or of a session of web calling. */
export type PhoneRow = Pick<AgentRow, 'aor' | 'display_name' | 'sip_password'>;

export function softphoneOf(row: PhoneRow, cipher: Cipher): Softphone {
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
    isProbed: row.probed,
    registers: row.registers,
    ...(row.codecs && { codecs: row.codecs }),
    dtmfMode: row.dtmf_mode,
    assertsCaller: row.asserted_identity === 'caller' && row.caller_id === 'pass',
  };
}

/** The engine's SIP address; null if none is configured. */
export function sipOf({ sip_host: host, sip_port: port }: EngineRow): HostPort | null {
  return host === null || port === null ? null : { host, port };
}

/** The other engines of the installation that have a SIP address. */
export function peersOf(engineId: string, engines: readonly EngineRow[]): readonly Peer[] {
  return engines.flatMap((row) => {
    const sip = sipOf(row);
    return sip && row.id !== engineId ? [{ engineId: row.id, ...sip }] : [];
  });
}

/**
 * Engines send over UDP from their listening port. Including the port distinguishes an engine from phones behind the
 * same address.
 */
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
