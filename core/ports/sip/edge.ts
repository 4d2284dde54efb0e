import type { HostPort } from '../../model/host-port.js';
import type { Engine } from '../engine.js';
import type { Softphone, Trunk } from '../engine/peers.js';

/** What a way in for SIP can do besides registrations and calls. */
export const SIP_EDGE_FEATURES = [
  /** Phones behind a proxy (RFC 3327). */
  'path',
  /** Several flows of one phone (RFC 5626). */
  'outbound',
  /** An address for one phone of several (RFC 5627). */
  'gruu',
  /** Phones at WebSockets (RFC 7118). */
  'websocket',
  /** Several phones of one agent ring at the same time. */
  'several_phones',
  /** Phones show whether colleagues are on the telephone (BLF, RFC 4235). */
  'dialog_info',
  /** Calls are spread over several engines, and go to another one if an engine is gone. */
  'balancing',
  /** Phones and carriers see no address of an engine. */
  'topology_hiding',
  /** Addresses and users that guess passwords are not served for a time. */
  'lockout',
  /** Who has guessed wrong waits for each further answer. */
  'tarpit',
  /** Networks and countries that are allowed or denied. */
  'networks',
] as const;
export type SipEdgeFeature = (typeof SIP_EDGE_FEATURES)[number];

/** What the edge can do: everything. */
export const EDGE_FEATURES: ReadonlySet<SipEdgeFeature> = new Set(SIP_EDGE_FEATURES);

/**
 * The way in for phones and carriers. `direct`: they reach each engine by themselves. `drachtio`: they reach the edge,
 * which registers and authenticates them and passes their calls on to engines.
 */
export interface SipEdge {
  readonly kind: 'direct' | 'drachtio';
  /** What else is asked for is refused as unsupported. */
  readonly features: ReadonlySet<SipEdgeFeature>;
  /** Where engines send calls for phones, over UDP; null if they send them to the phones themselves. */
  readonly address: HostPort | null;
  /** The softphone, as an engine needs to know it. */
  softphone(softphone: Softphone): Softphone;
  /** The trunk, as an engine needs to know it. */
  trunk(trunk: Trunk): Trunk;
  /**
   * The engine, as calls use it: with the registrations of the edge in place of its own, and what the edge knows about
   * trunks that it probes.
   */
  behind(engine: Engine): Engine;
}
