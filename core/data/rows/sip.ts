import type { SipTransport } from '../../model/sip-uri.js';

/** A contact at which a phone is registered (RFC 3261 §10). */
export interface SipContactRow {
  readonly aor: string;
  /** Identifies the contact among those of the AOR: its URI, or the phone's instance and flow (RFC 5626). */
  readonly key: string;
  readonly uri: string;
  /** The phone's `+sip.instance`, which stays the same when its address changes; null if it has none. */
  readonly instance: string | null;
  /** Proxies through which requests reach the phone (RFC 3327), first the one nearest to the edge. */
  readonly path: readonly string[];
  /** Where the REGISTER came from. */
  readonly source_host: string;
  readonly source_port: number;
  readonly transport: SipTransport;
  readonly call_id: string;
  readonly cseq: number;
  readonly user_agent: string | null;
  readonly refreshed_at: Date;
  readonly expires_at: Date;
}

/** An address or a user that the SIP edge does not serve for a time. */
export interface SipLockoutRow {
  readonly kind: 'address' | 'user';
  readonly subject: string;
  readonly reason: 'password' | 'scanner';
  /** How often it was locked out in a row. */
  readonly times: number;
  readonly locked_at: Date;
  readonly locked_until: Date;
}

/** Addresses that the SIP edge never locks out, or never serves. */
export interface SipNetworkRow {
  /** An address or a network in CIDR notation. */
  readonly network: string;
  readonly rule: 'allow' | 'deny';
  readonly note: string | null;
  readonly created_at: Date;
}
