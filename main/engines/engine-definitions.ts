import type { EngineRow } from '../../core/data/rows.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import { asteriskWebSocket } from '../../core/model/engine-kinds.js';
import type { Logger } from '../../core/ports/logger.js';
import type { SipEdge } from '../../core/ports/sip/edge.js';
import { peersOf, sipOf } from '../../core/services/engine-ownership/provisioned.js';
import type { FeatureCodes } from '../../core/model/feature-codes.js';
import type { AgentForwarding } from '../../core/services/live-calls/routing/forwarding.js';
import { IncomingRouter } from '../../core/services/live-calls/routing/incoming.js';
import { SandboxIncoming } from '../../core/services/live-calls/routing/sandbox-incoming.js';
import { SANDBOX_ENGINE, SETTINGS_ENGINE } from '../../core/services/engines/manage.js';
import { DirectoryRouting } from '../../core/services/routing/destinations.js';
import { PeerRouting } from '../../core/services/routing/peers.js';
import { sandboxPrograms } from '../../core/services/sandbox/agent.js';
import { SandboxRouting } from '../../core/services/sandbox/routing.js';
import type { Parts } from '../install/parts.js';
import type { PlatformMetrics } from '../metrics/metrics.js';
import type { Stores } from '../wiring/stores.js';
import type { EngineDefinition } from './engine-definition.js';
import { connectStored, DESCRIPTORS } from './kinds/index.js';
import type { EngineAccess, EngineConnection, KindContext } from './kinds/kind.js';

export interface DefinitionOptions extends KindContext {
  readonly ari: Parts['ari'];
  readonly engineSip: Parts['engineSip'];
  readonly cel: Parts['cel'];
  readonly stores: Stores;
  readonly cipher: Cipher;
  readonly metrics: Pick<PlatformMetrics, 'calls' | 'journal' | 'recordings'>;
  /** The way in for phones and carriers. */
  readonly edge: SipEdge;
  /** Numbers that bypass every limit. */
  readonly emergency: ReadonlySet<string>;
  /** What softphones dial for a service. */
  readonly featureCodes: FeatureCodes;
  /** Decides where calls for agents go. */
  readonly forwarding: AgentForwarding;
  readonly log: Logger;
}

/** Creates the definitions of the engines that this process may own, from the settings and the table of engines. */
export class EngineDefinitions {
  constructor(private readonly options: DefinitionOptions) {}

  /** The Asterisk that the settings name, or that this process starts. */
  async ofSettings({ url, user, password }: NonNullable<Parts['ari']>): Promise<EngineDefinition> {
    const { cel, engineSip, stores } = this.options;
    const row = await stores.engines.upsert(SETTINGS_ENGINE, 'asterisk', engineSip, asteriskWebSocket(url));
    const access = this.#access(row, password, cel?.isEmbedded ?? false);
    const connection = DESCRIPTORS.asterisk.connect(
      { ...access, address: { url, user, ...(cel && { details: cel.file }) } },
      this.options,
    );
    return this.#telephony(row, connection);
  }

  /** An engine that an operator added; null if this version cannot work with its kind. */
  managed(row: EngineRow): EngineDefinition | null {
    if (row.address === null || row.password === null) return null;
    const access = this.#access(row, this.options.cipher.open(row.password), false);
    const connection = connectStored(row.kind, row.address, access, this.options);
    return connection && this.#telephony(row, connection);
  }

  /** The simulator: calls of sandbox keys live in this process and end with it. */
  async sandbox(): Promise<EngineDefinition> {
    const { stores, metrics } = this.options;
    const row = await stores.engines.upsert(SANDBOX_ENGINE, 'simulator');
    return {
      engineId: row.id,
      name: SANDBOX_ENGINE,
      sip: null,
      ...DESCRIPTORS.simulator.connect({ ...this.#access(row, '', false), address: null }, this.options),
      routing: new SandboxRouting(),
      incoming: new SandboxIncoming({
        numberOf: (projectId, e164) => stores.numbers.findInSandbox(projectId, e164),
        activeFlow: (projectId, id) => stores.callflows.findActive({ projectId, sandbox: true }, id),
        blockOf: (projectId, entries) =>
          stores.blockedCallers.blockOf({ projectId, sandbox: true, agent: null, entries }),
        log: this.options.log,
      }),
      programs: sandboxPrograms,
      provisioned: {
        agents: () => Promise.resolve([]),
        browsers: () => Promise.resolve([]),
        trunks: () => Promise.resolve([]),
        peers: () => Promise.resolve([]),
      },
      // Metrics count telephone calls only, except for faults.
      metrics: {
        illegalMove: (from, to) => metrics.calls(SANDBOX_ENGINE).illegalMove(from, to),
        finished: () => undefined,
        live: () => undefined,
        refused: () => undefined,
      },
      usesTrunks: false,
      // A refused caller of the sandbox is the answer to a request.
      recordsRefusals: false,
      journal: metrics.journal(SANDBOX_ENGINE),
      recorded: { waiting: () => undefined },
      outlivesProcess: false,
    };
  }

  /** The common part of all telephony engines. */
  #telephony(row: EngineRow, connection: EngineConnection): EngineDefinition {
    const { stores, metrics, edge, log, clock, emergency, featureCodes, forwarding } = this.options;
    const { id, name } = row;
    return {
      ...connection,
      open: () => edge.behind(connection.open()),
      engineId: id,
      name,
      sip: sipOf(row),
      incoming: new IncomingRouter(stores.directory, log, emergency, featureCodes, stores.calls),
      forwarding,
      routing: new PeerRouting(id, new DirectoryRouting(stores.directory), (aor) => stores.directory.placesOf(aor)),
      provisioned: {
        agents: () => stores.agents.list(),
        browsers: () => stores.webSessions.phones(clock.now()),
        trunks: () => stores.trunks.enabled(),
        peers: async () => peersOf(id, await stores.engines.list()),
      },
      metrics: metrics.calls(name),
      usesTrunks: true,
      recordsRefusals: true,
      journal: metrics.journal(name),
      recorded: metrics.recordings(name),
      outlivesProcess: true,
    };
  }

  #access(row: EngineRow, password: string, ownsDetails: boolean): Omit<EngineAccess<never>, 'address'> {
    const log = this.options.log.child({ engine: row.name });
    return { password, maxCalls: row.max_calls, ownsDetails, log };
  }
}
