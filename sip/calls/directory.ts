import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { EngineWithLoad } from '../../core/data/repositories/engines/engines.js';
import type { TrunkRow } from '../../core/data/rows.js';
import { arrivesFrom, isInNetwork } from '../../core/model/inbound-address.js';
import type { HostPort } from '../../core/model/host-port.js';
import { isTelephony, LIVE_KINDS, type EngineKind } from '../../core/model/engine-kinds.js';
import type { Logger } from '../../core/ports/logger.js';
import { takesCalls } from '../../core/services/engines/choice.js';
import type { SipSource } from '../message/request.js';

export interface DirectoryOptions {
  readonly engines: () => Promise<readonly EngineWithLoad[]>;
  readonly trunks: () => Promise<readonly TrunkRow[]>;
  /** The addresses of a host name. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Where drachtio-server and the relay are, as the settings name them. */
  readonly drachtioHost: string;
  readonly relayHost: string;
  /** Where others reach this installation, if that differs (NAT); otherwise null. */
  readonly externalHost: string | null;
  /** Networks (CIDR) that reach private addresses of engines. */
  readonly localNetworks: readonly string[];
  readonly log: Logger;
}

/** An engine to which calls can be passed on. */
export interface EngineTarget extends HostPort {
  readonly id: string;
  readonly name: string;
  readonly kind: EngineKind;
  /** It has as many calls as it may have: emergency calls still pass. */
  readonly isFull: boolean;
}

interface KnownEngine extends Omit<EngineTarget, 'isFull'> {
  readonly row: EngineWithLoad;
  readonly addresses: readonly string[];
  /** Calls passed on since the load was read. */
  since: number;
}

/** Engines and trunks, read at intervals: a request of a stranger costs no look-up. */
export class EdgeDirectory {
  #engines: readonly KnownEngine[] = [];
  #trunks: readonly TrunkRow[] = [];
  #drachtio: readonly string[] = [];
  #relay: readonly string[] = [];
  #media: string | null = null;

  constructor(private readonly options: DirectoryOptions) {}

  /** Reads both. What was read last is used while the database is unavailable. */
  async refresh(): Promise<void> {
    await this.#resolveOwn();
    const [rows, trunks] = await Promise.all([this.options.engines(), this.options.trunks()]);
    const known = rows.map(async (row): Promise<KnownEngine[]> => {
      const { id, name, kind, sip_host: host, sip_port: port } = row;
      if (host === null || port === null || !isTelephony(kind)) return [];
      return [{ id, name, kind, host, port, row, addresses: await this.#addressesOf(host), since: 0 }];
    });
    this.#engines = (await Promise.all(known)).flat();
    this.#trunks = trunks;
  }

  /** Whether an engine sends from here: engines send over UDP from the port at which they listen. */
  isEngine({ host, port }: HostPort): boolean {
    return this.#engines.some((engine) => engine.port === port && engine.addresses.includes(host));
  }

  /** The hosts of all engines, as names and as addresses. */
  hosts(): readonly string[] {
    return [...new Set(this.#engines.flatMap(({ host, addresses }) => [host, ...addresses]))];
  }

  /** From where drachtio-server sends; first where it takes what is sent to it. */
  drachtio(): readonly string[] {
    return this.#drachtio;
  }

  /** From where the relay sends to drachtio-server. */
  relay(): readonly string[] {
    return this.#relay;
  }

  /** Where audio reaches engines from outside, if their own addresses are private; otherwise null. */
  media(): string | null {
    return this.#media;
  }

  /** Whether this address reaches private addresses of engines. */
  isNear(host: string): boolean {
    return this.options.localNetworks.some((network) => isInNetwork(network, host));
  }

  /** The same for a host by name or address. */
  async isHostNear(host: string): Promise<boolean> {
    if (this.options.localNetworks.length === 0) return false;
    const addresses = await this.#addressesOf(host);
    return addresses.length > 0 && addresses.every((one) => this.isNear(one));
  }

  /** A program on this machine sends from any of its addresses. */
  async #resolveOwn(): Promise<void> {
    const { drachtioHost, relayHost, externalHost } = this.options;
    const [drachtio, relay, external] = await Promise.all([
      this.#addressesOf(drachtioHost),
      this.#addressesOf(relayHost),
      externalHost === null ? [] : this.#addressesOf(externalHost),
    ]);
    this.#media = external.find(isIPv4) ?? this.#media;
    const own = drachtio.some(isLoopback)
      ? Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
      : [];
    this.#drachtio = [...new Set([...drachtio, ...own])];
    this.#relay = [...new Set([...relay, ...own])];
  }

  /** The trunk whose calls arrive from this address. */
  trunkAt({ host, port }: SipSource): TrunkRow | null {
    const isFrom = ({ inbound_addresses: addresses }: TrunkRow): boolean =>
      addresses.some((address) => arrivesFrom(address, host, String(port)));
    return this.#trunks.find(isFrom) ?? null;
  }

  /** The trunks that the edge probes: engines probe those at which they register. */
  probed(): readonly TrunkRow[] {
    return this.#trunks.filter(({ enabled, probed, registers }) => enabled && probed && !registers);
  }

  /**
   * The engines for a new call, best first: those that take calls, by their load relative to their weight. The others
   * follow, because an engine decides by itself about a call to an emergency number.
   */
  forNewCall(): readonly EngineTarget[] {
    const load = ({ row, since }: KnownEngine): number => (row.live_calls + since + 1) / row.weight;
    const rank = ({ row, since }: KnownEngine): number =>
      takesCalls({ ...row, live_calls: row.live_calls + since }) ? 0 : 1;
    const live = this.#engines.filter(({ row }) => LIVE_KINDS.includes(row.kind));
    return [...live]
      .sort((a, b) => rank(a) - rank(b) || load(a) - load(b) || (a.name < b.name ? -1 : 1))
      .map(({ id, name, kind, host, port, row, since }) => ({
        id,
        name,
        kind,
        host,
        port,
        isFull: isFull(row, since),
      }));
  }

  /** Notes that a call was passed on to the engine. */
  passedTo(engineId: string): void {
    const engine = this.#engines.find(({ id }) => id === engineId);
    if (engine) engine.since += 1;
  }

  async #addressesOf(host: string): Promise<readonly string[]> {
    try {
      return await this.options.resolve(host);
    } catch (error) {
      this.options.log.warn({ err: error, host }, 'a host name of the SIP edge has no address');
      return [];
    }
  }
}

function isFull({ max_calls: most, live_calls: calls }: EngineWithLoad, since: number): boolean {
  return most !== null && calls + since >= most;
}

export function isLoopback(address: string): boolean {
  return address === 'localhost' || address.startsWith('127.') || address === '::1';
}
