import type { EngineWithLoad } from '../../core/data/repositories/engines/engines.js';
import type { TrunkRow } from '../../core/data/rows.js';
import { arrivesFrom } from '../../core/model/inbound-address.js';
import type { HostPort } from '../../core/model/host-port.js';
import { isTelephony, LIVE_KINDS } from '../../core/model/engine-kinds.js';
import type { Logger } from '../../core/ports/logger.js';
import { takesCalls } from '../../core/services/engines/choice.js';
import type { SipSource } from '../message/request.js';

export interface DirectoryOptions {
  readonly engines: () => Promise<readonly EngineWithLoad[]>;
  readonly trunks: () => Promise<readonly TrunkRow[]>;
  /** The addresses of a host name. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly log: Logger;
}

/** An engine to which calls can be passed on. */
export interface EngineTarget extends HostPort {
  readonly id: string;
  readonly name: string;
}

interface KnownEngine extends EngineTarget {
  readonly row: EngineWithLoad;
  readonly addresses: readonly string[];
  /** Calls passed on since the load was read. */
  since: number;
}

/** Engines and trunks, read at intervals: a request of a stranger costs no look-up. */
export class EdgeDirectory {
  #engines: readonly KnownEngine[] = [];
  #trunks: readonly TrunkRow[] = [];

  constructor(private readonly options: DirectoryOptions) {}

  /** Reads both. What was read last is used while the database is unavailable. */
  async refresh(): Promise<void> {
    const [rows, trunks] = await Promise.all([this.options.engines(), this.options.trunks()]);
    const known = rows.map(async (row): Promise<KnownEngine[]> => {
      const { id, name, kind, sip_host: host, sip_port: port } = row;
      if (host === null || port === null || !isTelephony(kind)) return [];
      return [{ id, name, host, port, row, addresses: await this.#addressesOf(host), since: 0 }];
    });
    this.#engines = (await Promise.all(known)).flat();
    this.#trunks = trunks;
  }

  /** The engine that sent the request: engines send over UDP from the port at which they listen. */
  engineAt({ host, port, transport }: SipSource): EngineTarget | null {
    if (transport !== 'udp') return null;
    return this.#engines.find((engine) => engine.port === port && engine.addresses.includes(host)) ?? null;
  }

  /** The trunk whose calls arrive from this address. */
  trunkAt({ host, port }: SipSource): TrunkRow | null {
    const isFrom = ({ inbound_addresses: addresses }: TrunkRow): boolean =>
      addresses.some((address) => arrivesFrom(address, host, String(port)));
    return this.#trunks.find(isFrom) ?? null;
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
    return [...live].sort((a, b) => rank(a) - rank(b) || load(a) - load(b) || (a.name < b.name ? -1 : 1));
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
      this.options.log.warn({ err: error, host }, 'the host name of an engine has no address');
      return [];
    }
  }
}
