import type { HostPort } from '../../model/host-port.js';
import type { Engine, Softphone, Trunk } from '../engine.js';

/** What a way in for SIP can do besides registrations and calls. */
export type SipEdgeFeature =
  /** Phones behind a proxy (RFC 3327). */
  | 'path'
  /** Several flows of one phone (RFC 5626). */
  | 'outbound'
  /** An address for one phone of several (RFC 5627). */
  | 'gruu'
  /** Phones at WebSockets (RFC 7118). */
  | 'websocket'
  /** Several phones of one agent ring at the same time. */
  | 'several_phones'
  /** Addresses and users that guess passwords are not served for a time. */
  | 'lockout';

/**
 * The way in for phones and carriers. `direct`: they reach each engine by themselves. `drachtio`: they reach the edge,
 * which registers and authenticates them and passes their calls on to engines.
 */
export interface SipEdge {
  readonly kind: 'direct' | 'drachtio';
  readonly features: ReadonlySet<SipEdgeFeature>;
  /** Where engines send calls for phones, over UDP; null if they send them to the phones themselves. */
  readonly address: HostPort | null;
  /** The softphone, as an engine needs to know it. */
  softphone(softphone: Softphone): Softphone;
  /** The trunk, as an engine needs to know it. */
  trunk(trunk: Trunk): Trunk;
  /** The engine, as calls use it: with the registrations of the edge in place of its own. */
  behind(engine: Engine): Engine;
}
