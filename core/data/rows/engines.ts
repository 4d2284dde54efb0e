import type { EngineAddress, EngineKind } from '../../model/engine-kinds.js';

export interface EngineRow {
  readonly id: string;
  readonly name: string;
  readonly kind: EngineKind;
  readonly status: 'up' | 'unreachable';
  readonly boot_id: string | null;
  readonly version: string | null;
  /** The process that holds or last held the lease; null after a release. */
  readonly owner: string | null;
  /** Increases with each new owner; every write of a call carries it. */
  readonly epoch: number;
  readonly lease_expires_at: Date | null;
  readonly seen_at: Date | null;
  /** Added by command. Other engines come from the settings of processes. */
  readonly managed: boolean;
  /** Where its control interface and its files are; null if it is not managed. */
  readonly address: EngineAddress | null;
  /** Password of the control interface, sealed. */
  readonly password: string | null;
  /** SIP address for phones, carriers and the other engines; null if unknown. */
  readonly sip_host: string | null;
  readonly sip_port: number | null;
  /** Where the engine accepts SIP over WebSocket from this platform; null: as its address says, or not at all. */
  readonly ws_url: string | null;
  /** Whether the SIP address answers, as reported by the owner; null if not checked. */
  readonly sip_status: 'up' | 'down' | null;
  /** Its share of new calls relative to the other engines' weights. */
  readonly weight: number;
  /** Maximum number of concurrent calls; null means no limit. */
  readonly max_calls: number | null;
  /** Takes no new calls. */
  readonly draining: boolean;
  /** Removed from service; its past calls remain. */
  readonly removed_at: Date | null;
}

/** A host that calls to SIP addresses may reach. */
export interface SipTargetRow {
  /** `host`, for any port, or `host:port`; a host name is in lower case, an IPv6 address in brackets. */
  readonly address: string;
  readonly created_at: Date;
}
