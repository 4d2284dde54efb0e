import ipaddr from 'ipaddr.js';
import type { SipLockouts } from '../../data/repositories/sip/lockouts.js';
import type { SipNetworks } from '../../data/repositories/sip/networks.js';
import type { SipLockoutRow, SipNetworkRow } from '../../data/rows.js';
import { invalidField } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';

export interface ManageSipGuardsOptions {
  readonly lockouts: Pick<SipLockouts, 'current' | 'release'>;
  readonly networks: Pick<SipNetworks, 'list' | 'put' | 'remove'>;
  readonly clock: Clock;
}

const MOST_SHOWN = 1_000;

/** Who is kept out of the SIP edge. Every process of the edge follows a change within seconds. */
export class ManageSipGuards {
  constructor(private readonly options: ManageSipGuardsOptions) {}

  /** The addresses and users that are locked out now, the last ones first; at most 1,000. */
  blocked(): Promise<SipLockoutRow[]> {
    return this.options.lockouts.current(MOST_SHOWN);
  }

  /** Ends a lockout. @returns false if the address or user was not locked out */
  release(subject: string): Promise<boolean> {
    return this.options.lockouts.release(subject);
  }

  /** Allowed networks first, then denied ones. */
  networks(): Promise<SipNetworkRow[]> {
    return this.options.networks.list();
  }

  /**
   * `allow`: the network is never locked out. `deny`: it is never served. The smallest network with an address decides.
   * @throws HatifError VALIDATION_ERROR unless it is an address, or a network in CIDR notation
   */
  async put(text: string, rule: SipNetworkRow['rule'], note: string | null): Promise<SipNetworkRow> {
    const row = { network: readNetwork(text), rule, note, created_at: this.options.clock.now() };
    await this.options.networks.put(row);
    return row;
  }

  /** @returns false if the network was on no list. @throws HatifError like {@link put} */
  remove(text: string): Promise<boolean> {
    return this.options.networks.remove(readNetwork(text));
  }
}

/** An address, or a network with its first address: two ways to write a network are one. */
function readNetwork(text: string): string {
  try {
    if (!text.includes('/')) return ipaddr.process(text).toString();
    const [address, bits] = ipaddr.parseCIDR(text);
    const first =
      address.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(text) : ipaddr.IPv6.networkAddressFromCIDR(text);
    return `${first.toString()}/${bits}`;
  } catch {
    throw invalidField('network', {
      en: 'must be an IP address, or a network such as 192.0.2.0/24',
      ar: 'يجب أن يكون عنوان IP أو شبكة مثل `192.0.2.0/24`',
    });
  }
}
