import type { SipLockouts } from '../../data/repositories/sip/lockouts.js';
import type { SipNetworks } from '../../data/repositories/sip/networks.js';
import type { SipRefusals } from '../../data/repositories/sip/refusals.js';
import type { SipLockoutRow, SipNetworkRow, SipRefusalRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { networkOf } from '../../model/sip-network.js';
import type { Clock } from '../../ports/clock.js';
import { SIP_EDGE_FEATURES, type SipEdge, type SipEdgeFeature } from '../../ports/sip/edge.js';

export interface ManageSipGuardsOptions {
  readonly edge: Pick<SipEdge, 'kind' | 'features'>;
  readonly lockouts: Pick<SipLockouts, 'current' | 'release'>;
  readonly networks: Pick<SipNetworks, 'list' | 'put' | 'remove'>;
  readonly refusals: Pick<SipRefusals, 'latest'>;
  readonly clock: Clock;
}

/** The way in for phones and carriers, and what it can do. */
export interface SipEdgeView {
  readonly kind: SipEdge['kind'];
  readonly features: readonly SipEdgeFeature[];
  readonly unsupported: readonly SipEdgeFeature[];
}

export const MOST_SHOWN = 1_000;

/**
 * Who is kept out of the SIP edge. Every process of the edge follows a change within seconds. Without the edge there is
 * nothing to keep: everything but {@link edge} then throws SIP_EDGE_UNSUPPORTED.
 */
export class ManageSipGuards {
  constructor(private readonly options: ManageSipGuardsOptions) {}

  edge(): Promise<SipEdgeView> {
    const { kind, features } = this.options.edge;
    return Promise.resolve({
      kind,
      features: SIP_EDGE_FEATURES.filter((each) => features.has(each)),
      unsupported: SIP_EDGE_FEATURES.filter((each) => !features.has(each)),
    });
  }

  /** The addresses and users that are locked out now, the last ones first; at most 1,000. */
  async blocked(): Promise<SipLockoutRow[]> {
    this.#require('lockout');
    return this.options.lockouts.current(MOST_SHOWN);
  }

  /** Ends a lockout. @returns false if the address or user was not locked out */
  async release(subject: string): Promise<boolean> {
    this.#require('lockout');
    return this.options.lockouts.release(subject);
  }

  /** How often which source was refused, by hour, the last ones first; at most 1,000. */
  async refusals(): Promise<SipRefusalRow[]> {
    this.#require('lockout');
    return this.options.refusals.latest(MOST_SHOWN);
  }

  /** Allowed ones first, then denied ones. */
  async networks(): Promise<SipNetworkRow[]> {
    this.#require('networks');
    return this.options.networks.list();
  }

  /**
   * `allow`: the network is never locked out. `deny`: it is never served. The smallest network with an address decides,
   * and a network before a country. With an allowed country, other countries are not served.
   * @throws HatifError VALIDATION_ERROR unless it is an address, a network in CIDR notation or a country
   */
  async put(text: string, rule: SipNetworkRow['rule'], note: string | null): Promise<SipNetworkRow> {
    this.#require('networks');
    const row = { network: readNetwork(text), rule, note, created_at: this.options.clock.now() };
    await this.options.networks.put(row);
    return row;
  }

  /** @returns false if the network was on no list. @throws HatifError like {@link put} */
  async remove(text: string): Promise<boolean> {
    this.#require('networks');
    return this.options.networks.remove(readNetwork(text));
  }

  #require(feature: SipEdgeFeature): void {
    const { kind, features } = this.options.edge;
    if (!features.has(feature)) throw new HatifError('SIP_EDGE_UNSUPPORTED', { edge: kind, feature });
  }
}

function readNetwork(text: string): string {
  const network = networkOf(text);
  if (network !== null) return network;
  throw invalidField('network', {
    en: 'must be an IP address, a network such as 192.0.2.0/24, or a country such as SA',
    ar: 'يجب أن يكون عنوان IP أو شبكة مثل `192.0.2.0/24` أو بلدًا مثل `SA`',
  });
}
