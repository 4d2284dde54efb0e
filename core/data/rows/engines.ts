import type { EngineKind } from '../../model/engine-kind.js';
import type { HostPort } from '../../model/host-port.js';

export interface EngineRow {
  readonly id: string;
  readonly name: string;
  readonly kind: EngineKind;
  readonly status: 'up' | 'unreachable';
  readonly boot_id: string | null;
  readonly version: string | null;
  /** The process that holds the lease, or held it last; null when it was given back. */
  readonly owner: string | null;
  /** Grows with each new owner; every write of a call carries it. */
  readonly epoch: number;
  readonly lease_expires_at: Date | null;
  readonly seen_at: Date | null;
  /** Added by command. The others are what the settings of processes name. */
  readonly managed: boolean;
  /** Where its control interface is; null of one that is not managed. */
  readonly address: EngineAddress | null;
  /** Of the control interface, sealed. */
  readonly password: string | null;
  /** Where it takes SIP: phones, carriers and the other engines reach it there. Null: not known. */
  readonly sip_host: string | null;
  readonly sip_port: number | null;
  /** Whether it answers there, as its owner sees it; null while that is not looked at. */
  readonly sip_status: 'up' | 'down' | null;
  /** Its share of new calls, beside the weights of the others. */
  readonly weight: number;
  /** As many calls are placed on it at a time; null has no limit. */
  readonly max_calls: number | null;
  /** Takes no new calls. */
  readonly draining: boolean;
  /** Is no engine any more; its calls of old remain. */
  readonly removed_at: Date | null;
}

/** How an engine is commanded, and what else of it processes find by a path of their own. */
export type EngineAddress = AriAddress | EventSocketAddress;

/** Asterisk's. */
interface AriAddress extends EnginePaths {
  readonly url: string;
  readonly user: string;
}

/** FreeSWITCH's. */
interface EventSocketAddress extends HostPort, EnginePaths {
  /** The folder in which it records; one below the folder of sounds when left out. */
  readonly recordings?: string;
}

interface EnginePaths {
  /** The engine's own record of its legs: Asterisk's CEL file, FreeSWITCH's folder of legs that ended unheard. */
  readonly details?: string;
}
