import { BlockList } from 'node:net';

/** Where a trunk's calls arrive from: a network, and the port of the sender if it matters. */
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

/** Whether a request from this address and port comes from the inbound address. */
export function arrivesFrom(inbound: string, address: string, port: string): boolean {
  const wanted = inboundAddress(inbound);
  if (wanted.port !== null && wanted.port !== port) return false;
  return isInNetwork(wanted.cidr, address);
}

/** Whether the address is in the network (CIDR). False for what is no network or no address. */
export function isInNetwork(cidr: string, address: string): boolean {
  const [network = '', length = ''] = cidr.split('/');
  const list = new BlockList();
  try {
    const family = network.includes(':') ? 'ipv6' : 'ipv4';
    list.addSubnet(network, Number(length), family);
    return list.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
  } catch {
    return false;
  }
}
