import { hostPort, type HostPort } from './host-port.js';

/**
 * The header with which the SIP edge tells an engine who calls. Its value can only be made with the installation's
 * secret, so an engine trusts it regardless of the address that a request comes from.
 */
export const EDGE_HEADER = 'X-Hatif-Edge';
/**
 * The header by which an engine sends a call to a trunk through the SIP edge. Its value ({@link carrierMark}) names the
 * trunk, and allows calls to its address only: the edge calls nobody else for an engine.
 */
export const TRUNK_HEADER = 'X-Hatif-Trunk';

const OF_EDGE: ReadonlySet<string> = new Set([EDGE_HEADER, TRUNK_HEADER].map((name) => name.toLowerCase()));

/** Whether edge and engines know each other by this header. Nobody else may send it or learn its value. */
export function isEdgeHeader(name: string): boolean {
  return OF_EDGE.has(name.toLowerCase());
}

/** Who calls through the SIP edge: a softphone by its AOR, or a trunk by its id. */
export interface EdgeCaller {
  readonly type: 'softphone' | 'trunk';
  readonly id: string;
}

/** @param mac keyed hash of the installation's secret, for the purpose `edge` */
export function edgeMark({ type, id }: EdgeCaller, mac: (text: string) => string): string {
  return `${type}/${id}/${mac(`${type}/${id}`)}`;
}

/** Who a mark names. Whether the mark is genuine is decided by comparing it with the one that this caller has. */
export function namedBy(mark: string): EdgeCaller | null {
  const [, type, id] = /^(softphone|trunk)\/([0-9A-Za-z._-]{1,64})\/[\w-]+$/.exec(mark) ?? [];
  return type === undefined || id === undefined ? null : { type: type as EdgeCaller['type'], id };
}

const CARRIER_TRANSPORTS = ['udp', 'tcp', 'tls'] as const;
type CarrierTransport = (typeof CARRIER_TRANSPORTS)[number];

/** Where a trunk is called. */
export interface CarrierAddress extends HostPort {
  readonly trunkId: string;
  readonly transport: CarrierTransport;
}

/** @param mac like that of {@link edgeMark} */
export function carrierMark({ trunkId, transport, ...to }: CarrierAddress, mac: (text: string) => string): string {
  const named = `${trunkId}/${transport}`;
  return `${named}/${mac(`carrier/${named}/${hostPort(to).toLowerCase()}`)}`;
}

/** How the trunk that the mark names is called at this address; null unless the mark is one for it. */
export function carrierTransport(
  mark: string,
  { host, port }: HostPort,
  mac: (text: string) => string,
): CarrierTransport | null {
  const [trunkId = '', named] = mark.split('/');
  const transport = CARRIER_TRANSPORTS.find((known) => known === named);
  if (transport === undefined) return null;
  return carrierMark({ trunkId, host, port, transport }, mac) === mark ? transport : null;
}
