/** The softphones and trunks of an engine: who may register there, call and be called. */

import type { DtmfMode } from '../../model/trunks/rules.js';
import type { TrunkState } from '../../model/trunks/state.js';

/** The SIP edge, through which this engine reaches a softphone or trunk, and calls of either arrive. */
export interface EdgeWay {
  /** Where the engine reaches the edge, over UDP. */
  readonly host: string;
  readonly port: number;
  /**
   * Of a call that arrives: the value of the header `X-Hatif-Edge`. Of a call to a trunk: the value of `X-Hatif-Trunk`.
   */
  readonly mark: string;
}

/** A softphone that may register (RFC 3261 §10) with digest authentication (RFC 7616). */
export interface Softphone {
  /** Address of record and user name: unique within the engine. */
  readonly aor: string;
  readonly password: string;
  readonly displayName: string;
  readonly maxContacts: number;
  /** It is a browser: SIP over WebSocket (RFC 7118), media as WebRTC (RFC 8827). */
  readonly isBrowser?: boolean;
  /** It registers at the edge, which also authenticates it; the engine accepts no registration. */
  readonly edge?: EdgeWay;
}

export interface Registrations {
  /**
   * Creates or replaces a softphone. The adapter keeps it and pushes it again after an engine
   * restart.
   */
  put(softphone: Softphone): Promise<void>;
  remove(aor: string): Promise<void>;
  /** The AORs with at least one reachable contact now. */
  registered(): Promise<ReadonlySet<string>>;
}

/** A carrier or PBX for outgoing and incoming calls. */
export interface Trunk {
  readonly trunkId: string;
  readonly host: string;
  readonly port: number;
  readonly transport: 'udp' | 'tcp' | 'tls';
  /** Digest credentials for outgoing calls; null if the source address is enough. */
  readonly credentials: { readonly username: string; readonly password: string } | null;
  /** Addresses (`ip`, `ip:port`, CIDR) from which the trunk's calls arrive. */
  readonly inboundAddresses: readonly string[];
  /**
   * Another engine of this installation: it dials softphones, which ring without the application.
   */
  readonly isPeer?: boolean;
  /** Whether the engine sends it OPTIONS at intervals (RFC 3261 §11). */
  readonly isProbed?: boolean;
  /**
   * Whether the engine registers with the credentials at the trunk (RFC 3261 §10). Calls to the
   * registered address are accepted from the inbound addresses, like others. Absent for a trunk
   * that never did.
   */
  readonly registers?: boolean;
  /** By Hatif's names, in order of preference. Default: those of the engine. */
  readonly codecs?: readonly string[];
  readonly dtmfMode?: DtmfMode;
  /** Whether P-Asserted-Identity names the caller id unless it is withheld. Default: true. */
  readonly assertsCaller?: boolean;
  /**
   * Its calls arrive through the edge, which knows it by its addresses. A trunk at which the engine registers also sends
   * calls to the engine itself.
   */
  readonly edge?: EdgeWay;
  /**
   * The engine calls it through the edge: it takes the address as its outbound proxy, and sends the INVITE for the number
   * at the trunk with the header `X-Hatif-Trunk`, whose value is the mark. Responses are those of the carrier, challenges
   * included; a carrier that sends nothing for 5 s is one with 408. Absent if the engine calls the trunk by itself.
   */
  readonly exit?: EdgeWay;
}

/** Whether the trunk's calls arrive at the engine from its own addresses, and not only through the edge. */
export function arrivesDirectly({ edge, registers }: Pick<Trunk, 'edge' | 'registers'>): boolean {
  return edge === undefined || registers === true;
}

export interface Trunks {
  put(trunk: Trunk): Promise<void>;
  remove(trunkId: string): Promise<void>;
  /** The states of the trunks that were pushed and are probed. */
  states(): Promise<ReadonlyMap<string, TrunkState>>;
}
