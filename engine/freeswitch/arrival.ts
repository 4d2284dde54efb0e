import { BlockList } from 'node:net';
import type { CallerId, LegEvent, Trunk } from '../../core/ports/engine.js';
import type { EslEvent } from './esl/esl-connection.js';

export type Source = Extract<LegEvent, { type: 'leg.incoming' }>['source'];
export type SourceOf = (event: EslEvent) => Source | null;

const WITHHELD = new Set(['', 'anonymous', 'unknown', 'unavailable', 'restricted', '0000000000']);

/** Who a call in is from: a softphone that proved its password, or the trunk that has the address. */
export function sourceOf(event: EslEvent, trunks: Iterable<Trunk>): Source | null {
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
  // FreeSWITCH puts the number where there is no name.
  return { number, name: number === null || name === '' || name === shown ? null : name };
}

/** One of a trunk's addresses: what FreeSWITCH's network lists understand. */
export interface InboundAddress {
  readonly cidr: string;
  readonly port: string | null;
}

/** `ip`, `ip:port`, `[ip6]:port`, CIDR. */
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
