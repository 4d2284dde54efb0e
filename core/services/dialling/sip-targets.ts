import ipaddr from 'ipaddr.js';
import type { SipTargetTable } from '../../data/repositories/engines/sip-targets.js';
import type { EngineRow, SipTargetRow, TrunkRow } from '../../data/rows.js';
import { invalidField } from '../../model/errors/index.js';
import { parseHostPort } from '../../model/host-port.js';
import type { SipUri } from '../../model/sip-uri.js';
import type { Clock } from '../../ports/clock.js';

export interface SipTargetsOptions {
  readonly table: SipTargetTable;
  readonly trunks: () => Promise<readonly Pick<TrunkRow, 'host'>[]>;
  readonly engines: () => Promise<readonly Pick<EngineRow, 'sip_host'>[]>;
  /** The addresses of a host name; rejects for an unknown one. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly clock: Clock;
}

/** The hosts that the operator allows calls to SIP addresses to reach; none at first. */
export class SipTargets {
  constructor(private readonly options: SipTargetsOptions) {}

  /**
   * Allows a host, on every port or on the given one.
   * @param text `host` or `host:port`
   * @throws HatifError VALIDATION_ERROR, also for a host of a trunk or an engine, and one with a private address
   */
  async add(text: string): Promise<SipTargetRow> {
    const { host } = parseHostPort(text, 'host', 1);
    if (await this.#isOurs(host)) {
      throw invalidField('host', {
        en: 'is the host of a trunk or an engine',
        ar: 'هو مضيف خط ربط أو محرّك صوت',
      });
    }
    const addresses = ipaddr.isValid(host) ? [host] : await this.options.resolve(host).catch(() => []);
    if (addresses.length === 0 || !addresses.every(isPublic)) {
      throw invalidField('host', {
        en: 'must have public addresses only',
        ar: 'يجب أن تكون كل عناوينه متاحة على الإنترنت',
      });
    }
    const row = { address: text.toLowerCase(), created_at: this.options.clock.now() };
    await this.options.table.add(row);
    return row;
  }

  list(): Promise<SipTargetRow[]> {
    return this.options.table.list();
  }

  /** @returns false if the host was not allowed */
  remove(text: string): Promise<boolean> {
    return this.options.table.remove(text.toLowerCase());
  }

  /** Whether a SIP address may be called: its host is allowed, it has no parameters, and the host is not ours by now. */
  async allows({ host, port, transport, parameters }: SipUri): Promise<boolean> {
    if (transport !== null || Object.keys(parameters).length > 0) return false;
    const written = host.includes(':') ? `[${host}]` : host;
    if (!(await this.options.table.hasAny([written, `${written}:${port ?? 5060}`]))) return false;
    return !(await this.#isOurs(host));
  }

  /** On the loopback, ports tell the parties apart. */
  async #isOurs(host: string): Promise<boolean> {
    if (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback') return false;
    const [trunks, engines] = await Promise.all([this.options.trunks(), this.options.engines()]);
    const ours = [...trunks.map((trunk) => trunk.host), ...engines.map((engine) => engine.sip_host)];
    return ours.some((one) => one?.toLowerCase() === host.toLowerCase());
  }
}

function isPublic(address: string): boolean {
  return ipaddr.process(address).range() === 'unicast';
}
