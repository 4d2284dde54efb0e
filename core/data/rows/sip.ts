import type { SipPackage, SipRefusal } from '../../model/sip-edge.js';
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

/** A subscription of a phone (RFC 6665), with its dialog. */
export interface SipSubscriptionRow {
  readonly id: string;
  /** The softphone that subscribed, and whose state it shows. */
  readonly aor: string;
  readonly target: string;
  readonly package: SipPackage;
  /** The value of the field `Event`, which may have an id. */
  readonly event: string;
  readonly call_id: string;
  /** `From` and `To` of notifications, with their tags. */
  readonly local: string;
  readonly remote: string;
  readonly contact: string;
  /** Where the phone sent from, if its contact is not reachable; otherwise empty. */
  readonly flow: string;
  /** The route set of notifications, and their next hop. */
  readonly routes: readonly string[];
  readonly hop_host: string;
  readonly hop_port: number;
  readonly remote_cseq: number;
  readonly local_cseq: number;
  /** Of the document, which a phone uses to put documents in order. */
  readonly version: number;
  /** What was last sent; null: nothing yet. */
  readonly state: string | null;
  readonly unanswered_since: Date | null;
  readonly expires_at: Date;
}

/** Requests of a source that were not served within an hour. */
export interface SipRefusalRow {
  readonly hour: Date;
  readonly reason: SipRefusal;
  /** An address, or `*` for those beyond the number that is kept. */
  readonly source: string;
  readonly country: string | null;
  readonly requests: number;
  readonly last_at: Date;
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

/** A network or country that the SIP edge never locks out, or never serves. */
export interface SipNetworkRow {
  /** An address, a network in CIDR notation, or a country (ISO 3166-1 alpha-2). */
  readonly network: string;
  readonly rule: 'allow' | 'deny';
  readonly note: string | null;
  readonly created_at: Date;
}
