import type { Cipher } from '../../core/model/access/cipher.js';
import type { RefusalReason } from '../../core/model/call/refusal.js';
import type { HostPort } from '../../core/model/host-port.js';
import type { CallDetail } from '../../core/ports/call-detail.js';
import type { Clock } from '../../core/ports/clock.js';
import type { CommandBus } from '../../core/ports/command-bus.js';
import type { Engine } from '../../core/ports/engine.js';
import type { JournalStore } from '../../core/ports/journal.js';
import type { Logger } from '../../core/ports/logger.js';
import type { SipProbe } from '../../core/ports/sip-probe.js';
import type { BlockReports } from '../../core/services/blocked-callers/reports.js';
import type { OwnCalls } from '../../core/services/calls/own-calls.js';
import type { ProgramFactory } from '../../core/services/call-state/program.js';
import type { ProvisioningTables } from '../../core/services/engine-ownership/provisioning.js';
import type { AgentForwarding } from '../../core/services/live-calls/routing/forwarding.js';
import type { IncomingRoutes } from '../../core/services/live-calls/routing/incoming.js';
import type { MeteredCredit } from '../../core/services/live-calls/registry/call-meter.js';
import type { CallMetrics, LiveCallsOptions } from '../../core/services/live-calls/registry/live-calls.js';
import type { JournalObserver } from '../../core/services/live-calls/journal/committer.js';
import type { RecordingCollectorOptions, RecordingObserver } from '../../core/services/recordings/collector.js';
import type { RecordingConsent } from '../../core/services/recordings/consent.js';
import type { Routing } from '../../core/services/routing/destinations.js';
import type { Queueing } from '../wiring/queues.js';
import type { Stores } from '../wiring/stores.js';

/** An engine that this process may own: its row in the table of engines, and how to work with it. */
export interface EngineDefinition {
  /** Id of the row; the same in all processes. */
  readonly engineId: string;
  readonly name: string;
  /** Its SIP address; null if unknown. */
  readonly sip: HostPort | null;
  /** Opens a new connection, once for each session. */
  readonly open: () => Engine;
  /** The engine's own record of its legs, if it keeps one. */
  readonly detail?: (engine: Engine) => CallDetail;
  readonly routing: Routing;
  readonly incoming: IncomingRoutes;
  /** Absent if no call is forwarded. */
  readonly forwarding?: AgentForwarding;
  /** Replaces programs of calls on this engine. */
  readonly programs?: (usual: ProgramFactory) => ProgramFactory;
  /** The softphones and trunks that the engine is kept up to date with. */
  readonly provisioned: ProvisioningTables;
  readonly metrics: CallMetrics & { readonly refused: (reason: RefusalReason) => void };
  /** Whether its calls leave by trunks, with their limits and rules. */
  readonly usesTrunks: boolean;
  /** Whether the operator sees its refused calls. */
  readonly recordsRefusals: boolean;
  readonly journal: JournalObserver;
  readonly recorded: RecordingObserver;
  /**
   * True if its calls continue without this process. Calls of an engine inside the process end at a stop, which does
   * not wait for them.
   */
  readonly outlivesProcess: boolean;
}

/** Options for owning engines; the same for all of them. */
export interface OwnershipOptions {
  readonly stores: Stores;
  readonly cipher: Cipher;
  readonly bus: CommandBus;
  /** Where requests of this process find its live calls. */
  readonly ownCalls: Pick<OwnCalls, 'attach'>;
  readonly probe: SipProbe;
  readonly programs: ProgramFactory;
  readonly consent: RecordingConsent;
  readonly queues: Pick<Queueing, 'callBridge' | 'watch'>;
  readonly credit: MeteredCredit;
  readonly gate: LiveCallsOptions['gate'];
  readonly blockReports: Pick<BlockReports, 'note'>;
  /** Numbers that bypass every limit. */
  readonly emergency: ReadonlySet<string>;
  readonly attendedTransfers: boolean;
  /** Where recordings are stored. */
  readonly recordings: Pick<RecordingCollectorOptions, 'audio' | 'store' | 'folder'>;
  /** Holds changes of calls while the database is unavailable. */
  readonly journalStore: JournalStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long the calls of an unreachable engine are kept, in milliseconds. */
  readonly graceMs: number;
}
