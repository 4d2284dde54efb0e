import { BlockList } from 'node:net';
import type { CallerId } from '../../core/model/call/caller-id.js';
import type { Trunk } from '../../core/ports/engine.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type { EslEvent } from './esl/esl-connection.js';
import { comesFromInside } from './leg-id.js';

export type Source = Extract<LegEvent, { type: 'leg.incoming' }>['source'];
export type SourceOf = (event: EslEvent) => Source | null;

const WITHHELD = new Set(['', 'anonymous', 'unknown', 'unavailable', 'restricted', '0000000000']);

/**
 * Returns the source of an inbound call: the leg that calls inside, an authenticated softphone, or the trunk with the
 * sender's address; null if unknown.
 */
export function sourceOf(event: EslEvent, trunks: Iterable<Trunk>): Source | null {
  if (comesFromInside(event['Channel-Name'] ?? '')) {
    const legId = event.variable_other_loopback_leg_uuid;
    return legId === undefined ? null : { type: 'inside', legId };
  }
  const aor = event.variable_sip_auth_username;
  if (aor !== undefined && aor !== '') return { type: 'softphone', aor };
  const [address, port] = [event.variable_sip_network_ip ?? '', event.variable_sip_network_port ?? ''];
  for (const trunk of trunks) {
    if (trunk.inboundAddresses.some((inbound) => matches(inbound, address, port))) {
      return { type: 'trunk', trunkId: trunk.trunkId };
    }
  }
  return null;
}

export function callerOf(event: EslEvent, source: Source): CallerId {
  const shown = event['Caller-Caller-ID-Number'] ?? '';
  const number = source.type === 'softphone' ? source.aor : WITHHELD.has(shown.toLowerCase()) ? null : shown;
  const name = event['Caller-Caller-ID-Name'] ?? '';
  // FreeSWITCH uses the number as the name if there is none.
  return { number, name: number === null || name === '' || name === shown ? null : name };
}

/** A trunk's inbound address in the form of FreeSWITCH's network lists. */
export interface InboundAddress {
  readonly cidr: string;
  readonly port: string | null;
}

/** Parses `ip`, `ip:port`, `[ip6]:port` or a CIDR network. */
export function inboundAddress(address: string): InboundAddress {
  const [, bracketed, bare, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(address) ?? [];
  const host = bracketed ?? bare ?? address;
  const bits = host.includes(':') ? 128 : 32;
  return { cidr: host.includes('/') ? host : `${host}/${bits}`, port: port ?? null };
}

function matches(inbound: string, address: string, port: string): boolean {
  const wanted = inboundAddress(inbound);
  if (wanted.port !== null && wanted.port !== port) return false;
  const [network = '', length = ''] = wanted.cidr.split('/');
  const list = new BlockList();
  try {
    const family = network.includes(':') ? 'ipv6' : 'ipv4';
    list.addSubnet(network, Number(length), family);
    return list.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
  } catch {
    return false;
  }
}
