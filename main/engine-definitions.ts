import { join } from 'node:path';
import type { HostPort } from '../core/model/host-port.js';
import type { EngineRow } from '../core/data/rows.js';
import type { Cipher } from '../core/model/cipher.js';
import type { Clock } from '../core/ports/clock.js';
import type { Logger } from '../core/ports/logger.js';
import { SANDBOX_ENGINE, SETTINGS_ENGINE } from '../core/services/engines/manage.js';
import type { ProvisioningTables } from '../core/services/engines/provisioning.js';
import { DirectoryRouting } from '../core/services/routing/destinations.js';
import { PeerRouting } from '../core/services/routing/peers.js';
import { SandboxRouting } from '../core/services/sandbox/routing.js';
import { AsteriskEngine } from '../engine/asterisk/asterisk-engine.js';
import { CelRecords } from '../engine/asterisk/cel-records.js';
import { entityIdOf } from '../engine/asterisk/engine-link.js';
import { SimulatorEngine } from '../engine/simulator/simulator-engine.js';
import type { PlatformMetrics } from './metrics.js';
import type { Parts } from './parts.js';
import type { Stores } from './stores.js';
import type { EngineDefinition } from './tenure.js';

export interface DefinitionOptions {
  readonly ari: Parts['ari'];
  readonly engineSip: Parts['engineSip'];
  readonly cel: Parts['cel'];
  readonly stores: Stores;
  readonly cipher: Cipher;
  readonly metrics: Pick<PlatformMetrics, 'calls' | 'journal' | 'recordings'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Folder for generated sounds that the engines see at the same path. */
  readonly mediaDir: string;
}

/** The engines as this process can own them. */
export class EngineDefinitions {
  constructor(private readonly options: DefinitionOptions) {}

  /** The Asterisk that this process's settings name, or that it brings. */
  async ofSettings(): Promise<EngineDefinition> {
    const { ari, cel, engineSip, stores, log } = this.options;
    const row = await stores.engines.upsert(SETTINGS_ENGINE, 'asterisk', engineSip);
    return {
      ...this.#asterisk(row, { url: ari.url, user: ari.user, password: ari.password }),
      ...(cel && {
        detail: (engine) => {
          const entityId = (): string | null => engine.status.bootId && entityIdOf(engine.status.bootId);
          return new CelRecords({ ...cel, entityId, log });
        },
      }),
    };
  }

  /** An engine that was added by command; null for one of a kind that this version cannot drive. */
  managed(row: EngineRow): EngineDefinition | null {
    const { address, password } = row;
    if (row.kind !== 'asterisk' || address === null || password === null || !('url' in address)) return null;
    return this.#asterisk(row, { ...address, password: this.options.cipher.open(password) });
  }

  /** No telephony: calls of sandbox keys live in this process and end with it. */
  async sandbox(): Promise<EngineDefinition> {
    const { stores, metrics, clock } = this.options;
    const { id } = await stores.engines.upsert(SANDBOX_ENGINE, 'simulator');
    return {
      engineId: id,
      name: SANDBOX_ENGINE,
      sip: null,
      open: () => new SimulatorEngine({ clock }),
      routing: new SandboxRouting(),
      provisioned: {
        agents: () => Promise.resolve([]),
        trunks: () => Promise.resolve([]),
        peers: () => Promise.resolve([]),
      },
      // What is counted is real traffic, except for faults.
      metrics: {
        illegalMove: (from, to) => metrics.calls(SANDBOX_ENGINE).illegalMove(from, to),
        finished: () => undefined,
        live: () => undefined,
      },
      journal: metrics.journal(SANDBOX_ENGINE),
      recorded: { waiting: () => undefined },
      outlivesProcess: false,
    };
  }

  #asterisk(
    row: EngineRow,
    access: { readonly url: string; readonly user: string; readonly password: string },
  ): EngineDefinition {
    const { ari, stores, metrics, clock, log, mediaDir } = this.options;
    const { id, name } = row;
    const options = {
      url: access.url,
      username: access.user,
      password: access.password,
      codecs: ari.codecs,
      soundDir: join(mediaDir, 'sounds'),
      logger: log.child({ engine: name }),
      clock,
    };
    return {
      engineId: id,
      name,
      sip: sipOf(row),
      open: () => new AsteriskEngine(options),
      routing: new PeerRouting(id, new DirectoryRouting(stores.directory), (aor) => stores.directory.placesOf(aor)),
      provisioned: provisionedBy(stores, id),
      metrics: metrics.calls(name),
      journal: metrics.journal(name),
      recorded: metrics.recordings(name),
      outlivesProcess: true,
    };
  }
}

function provisionedBy(stores: Stores, engineId: string): ProvisioningTables {
  return {
    agents: () => stores.agents.list(),
    trunks: () => stores.trunks.list(),
    peers: async () =>
      (await stores.engines.list()).flatMap((row) => {
        const sip = sipOf(row);
        return sip && row.id !== engineId ? [{ engineId: row.id, ...sip }] : [];
      }),
  };
}

function sipOf({ sip_host: host, sip_port: port }: EngineRow): HostPort | null {
  return host === null || port === null ? null : { host, port };
}
