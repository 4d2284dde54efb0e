import { join } from 'node:path';
import type { HostPort } from '../core/model/host-port.js';
import type { EngineRow } from '../core/data/rows.js';
import type { Cipher } from '../core/model/access/cipher.js';
import type { Clock } from '../core/ports/clock.js';
import type { Logger } from '../core/ports/logger.js';
import { SANDBOX_ENGINE, SETTINGS_ENGINE } from '../core/services/engines/manage.js';
import { peersOf, sipOf } from '../core/services/engine-ownership/provisioned.js';
import { DirectoryRouting } from '../core/services/routing/destinations.js';
import { PeerRouting } from '../core/services/routing/peers.js';
import { SandboxRouting } from '../core/services/sandbox/routing.js';
import { AsteriskEngine } from '../engine/asterisk/asterisk-engine.js';
import { CelRecords } from '../engine/asterisk/cel/cel-records.js';
import { entityIdOf } from '../engine/asterisk/ari/engine-link.js';
import { EndedLegs } from '../engine/freeswitch/ended-legs.js';
import { FreeswitchEngine } from '../engine/freeswitch/freeswitch-engine.js';
import type { ReportedEnds } from '../engine/freeswitch/reported-ends.js';
import type { SessionTimers } from '../engine/asterisk/sip/pjsip-objects.js';
import { SimulatorEngine } from '../engine/simulator/simulator-engine.js';
import type { PlatformMetrics } from './metrics.js';
import type { Parts } from './parts.js';
import type { Stores } from './stores.js';
import type { EngineDefinition } from './tenure.js';

export interface DefinitionOptions {
  readonly ari: Parts['ari'];
  readonly codecs: Parts['codecs'];
  readonly sessionTimers: SessionTimers;
  readonly engineSip: Parts['engineSip'];
  readonly cel: Parts['cel'];
  /** Of legs in any FreeSWITCH: what this process was told by HTTP. */
  readonly takenEnds: ReportedEnds;
  readonly stores: Stores;
  readonly cipher: Cipher;
  readonly metrics: Pick<PlatformMetrics, 'calls' | 'journal' | 'recordings'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Folder for generated sounds that the engines see at the same path. */
  readonly mediaDir: string;
}

interface FreeswitchAccess extends HostPort {
  readonly password: string;
  readonly details?: string;
  readonly recordings?: string;
}

/** Asterisk's names and FreeSWITCH's. */
const FREESWITCH_CODECS: Readonly<Record<string, string>> = { alaw: 'PCMA', ulaw: 'PCMU', opus: 'OPUS', g722: 'G722' };

export function freeswitchCodecs(codecs: readonly string[]): readonly string[] {
  return codecs.flatMap((name) => FREESWITCH_CODECS[name] ?? []);
}

/** The engines as this process can own them. */
export class EngineDefinitions {
  constructor(private readonly options: DefinitionOptions) {}

  /** The Asterisk that this process's settings name, or that it brings. */
  async ofSettings(ari: NonNullable<Parts['ari']>): Promise<EngineDefinition> {
    const { cel, engineSip, stores } = this.options;
    const row = await stores.engines.upsert(SETTINGS_ENGINE, 'asterisk', engineSip);
    return this.#asterisk(row, ari, cel);
  }

  /** An engine that was added by command; null for one of a kind that this version cannot drive. */
  managed(row: EngineRow): EngineDefinition | null {
    const { kind, address } = row;
    if (address === null || row.password === null) return null;
    const password = this.options.cipher.open(row.password);
    if (kind === 'asterisk' && 'url' in address) {
      const { details } = address;
      return this.#asterisk(
        row,
        { ...address, password },
        details === undefined ? null : { file: details, isEmbedded: false },
      );
    }
    return kind === 'freeswitch' && 'host' in address ? this.#freeswitch(row, { ...address, password }) : null;
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

  #asterisk(row: EngineRow, access: NonNullable<Parts['ari']>, cel: Parts['cel']): EngineDefinition {
    const { codecs, sessionTimers, clock, mediaDir } = this.options;
    const logger = this.#logOf(row);
    const { url, user: username, password } = access;
    const soundDir = join(mediaDir, 'sounds');
    const options = { url, username, password, codecs, sessionTimers, soundDir, logger, clock, ...limitOf(row) };
    return {
      ...this.#real(row),
      open: () => new AsteriskEngine(options),
      ...(cel && {
        detail: (engine) => {
          const entityId = (): string | null => engine.status.bootId && entityIdOf(engine.status.bootId);
          return new CelRecords({ ...cel, entityId, log: logger });
        },
      }),
    };
  }

  #freeswitch(row: EngineRow, access: FreeswitchAccess): EngineDefinition {
    const { clock, mediaDir, takenEnds } = this.options;
    const { host, port, password, details, recordings = join(mediaDir, 'recorded') } = access;
    const logger = this.#logOf(row);
    const codecs = freeswitchCodecs(this.options.codecs);
    const options = { host, port, password, recordingDir: recordings, codecs, logger, clock, ...limitOf(row) };
    return {
      ...this.#real(row),
      open: () => new FreeswitchEngine(options),
      ...(details !== undefined && {
        detail: () => new EndedLegs({ directory: details, taken: takenEnds, log: logger }),
      }),
    };
  }

  /** What all engines with telephones have alike. */
  #real(row: EngineRow): Omit<EngineDefinition, 'open' | 'detail'> {
    const { stores, metrics } = this.options;
    const { id, name } = row;
    return {
      engineId: id,
      name,
      sip: sipOf(row),
      routing: new PeerRouting(id, new DirectoryRouting(stores.directory), (aor) => stores.directory.placesOf(aor)),
      provisioned: {
        agents: () => stores.agents.list(),
        trunks: () => stores.trunks.list(),
        peers: async () => peersOf(id, await stores.engines.list()),
      },
      metrics: metrics.calls(name),
      journal: metrics.journal(name),
      recorded: metrics.recordings(name),
      outlivesProcess: true,
    };
  }

  #logOf({ name }: EngineRow): Logger {
    return this.options.log.child({ engine: name });
  }
}

/** What the platform places no more calls above, the engine lets in no more calls above. */
function limitOf({ max_calls: maxCalls }: EngineRow): { readonly maxCalls?: number } {
  return maxCalls === null ? {} : { maxCalls };
}
