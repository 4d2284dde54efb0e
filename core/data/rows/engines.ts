import type { EngineAddress, EngineKind } from '../../model/engine-kinds.js';

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
  /** Where its control interface and its files are; null if it is not managed. */
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
