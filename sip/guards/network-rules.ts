import type { SipNetworkRow } from '../../core/data/rows.js';
import { inboundAddress, isInNetwork } from '../../core/model/inbound-address.js';
import { isCountry, isPrivateAddress } from '../../core/model/sip-network.js';
import type { Countries } from '../../core/ports/sip/countries.js';

/** What an operator listed: networks and countries, allowed or denied. */
export class NetworkRules {
  readonly #networks: readonly { readonly cidr: string; readonly bits: number; readonly rule: SipNetworkRow['rule'] }[];
  readonly #countries: ReadonlyMap<string, SipNetworkRow['rule']>;
  /** Only the allowed countries are served. */
  readonly #isExclusive: boolean;

  constructor(
    rows: readonly SipNetworkRow[],
    private readonly countries: Pick<Countries, 'of'>,
  ) {
    this.#networks = rows
      .filter(({ network }) => !isCountry(network))
      .map(({ network, rule }) => {
        const { cidr } = inboundAddress(network);
        return { cidr, bits: Number(cidr.split('/')[1]), rule };
      })
      .sort((a, b) => b.bits - a.bits);
    this.#countries = new Map(rows.flatMap(({ network, rule }) => (isCountry(network) ? [[network, rule]] : [])));
    this.#isExclusive = [...this.#countries.values()].includes('allow');
  }

  get hasCountries(): boolean {
    return this.#countries.size > 0;
  }

  /** The rule of the smallest network with the address; null without one. */
  ruleOf(host: string): SipNetworkRow['rule'] | null {
    return this.#networks.find(({ cidr }) => isInNetwork(cidr, host))?.rule ?? null;
  }

  /** Private addresses are in every country. */
  isCountryServed(host: string): boolean {
    if (!this.hasCountries || isPrivateAddress(host)) return true;
    const country = this.countries.of(host);
    const rule = country === null ? undefined : this.#countries.get(country);
    return this.#isExclusive ? rule === 'allow' : rule !== 'deny';
  }
}
