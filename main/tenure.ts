import type { HostPort } from '../core/model/host-port.js';
import type { Cipher } from '../core/model/access/cipher.js';
import { NO_DETAIL, type CallDetail } from '../core/ports/call-detail.js';
import type { Clock } from '../core/ports/clock.js';
import type { CommandBus } from '../core/ports/command-bus.js';
import type { Engine } from '../core/ports/engine.js';
import type { JournalStore } from '../core/ports/journal.js';
import type { Logger } from '../core/ports/logger.js';
import type { SipProbe } from '../core/ports/sip-probe.js';
import { Committer, type JournalObserver } from '../core/services/live-calls/journal/committer.js';
import { CallArchive } from '../core/services/call-state/call-archive.js';
import { CallController } from '../core/services/live-calls/controller/call-controller.js';
import { IncomingRouter } from '../core/services/live-calls/routing/incoming.js';
import type { CallMetrics } from '../core/services/live-calls/registry/live-calls.js';
import type { ProgramFactory } from '../core/services/call-state/program.js';
import type { EngineLease } from '../core/services/engine-ownership/lease.js';
import { EngineOwner } from '../core/services/engine-ownership/engine-owner.js';
import { Provisioning, type ProvisioningTables } from '../core/services/engine-ownership/provisioning.js';
import {
  RegistrationRecorder,
  type RegistrationTable,
} from '../core/services/engine-ownership/registration-recorder.js';
import type { SipHealth } from '../core/services/engine-ownership/sip-health.js';
import type { Credit } from '../core/services/billing/credit.js';
import type { RecordingConsent } from '../core/services/recordings/consent.js';
import {
  RecordingCollector,
  type RecordingCollectorOptions,
  type RecordingObserver,
} from '../core/services/recordings/collector.js';
import type { Routing } from '../core/services/routing/destinations.js';
import type { Queueing } from './queues.js';
import type { Stores } from './stores.js';
import { MwiUpdater } from '../core/services/voicemail/mwi.js';

/** An engine as this process owns it. */
export interface EngineDefinition {
  /** Of its row in the table of engines; one for all processes. */
  readonly engineId: string;
  readonly name: string;
  /** Where it takes SIP; null where that is not known. */
  readonly sip: HostPort | null;
  /** A new connection to it, for each time that it is owned. */
  readonly open: () => Engine;
  /** The engine's own record of its legs, where it keeps one. */
  readonly detail?: (engine: Engine) => CallDetail;
  readonly routing: Routing;
  /** The softphones and trunks that it is kept up to date with. */
  readonly provisioned: ProvisioningTables;
  readonly metrics: CallMetrics;
  readonly journal: JournalObserver;
  readonly recorded: RecordingObserver;
  /** Whether its calls go on without this process. Those of one that lives in it are ended, and not waited for, at a stop. */
  readonly outlivesProcess: boolean;
}

export interface OwnedEngineOptions {
  readonly stores: Stores;
  readonly cipher: Cipher;
  readonly bus: CommandBus;
  readonly probe: SipProbe;
  readonly programs: ProgramFactory;
  readonly consent: RecordingConsent;
  readonly queues: Pick<Queueing, 'callBridge' | 'watch'>;
  readonly credit: Pick<Credit, 'extend'>;
  /** Numbers that are let through past every limit. */
  readonly emergency: ReadonlySet<string>;
  readonly attendedTransfers: boolean;
  /** Where recordings are kept. */
  readonly recordings: Pick<RecordingCollectorOptions, 'audio' | 'store' | 'folder'>;
  /** Where changes of calls wait while the database is away. */
  readonly journalStore: JournalStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly graceMs: number;
}

/** What the engine is asked for with. */
export interface Claim {
  readonly engine: Engine;
  readonly lease: EngineLease;
  readonly sipHealth: SipHealth;
  /** Resolves when the lease is lost or given back. */
  readonly over: Promise<void>;
}

/** The time in which this process owns the engine, and what it owns it with. */
export interface Tenure extends Claim {
  readonly committer: Committer;
  readonly controller: CallController;
  readonly owner: EngineOwner;
  readonly collector: RecordingCollector;
  readonly mwi: MwiUpdater;
}

/** What this process needs to conduct the engine's calls, put together. Nothing is begun yet. */
export function openTenure(
  { engine, lease, sipHealth, over }: Claim,
  definition: EngineDefinition,
  options: OwnedEngineOptions,
): Tenure {
  const {
    stores,
    cipher,
    bus,
    programs,
    consent,
    queues,
    emergency,
    attendedTransfers,
    recordings,
    journalStore,
    clock,
    log,
    graceMs,
  } = options;
  const { engineId, routing, provisioned, metrics, journal: observer, recorded, detail } = definition;
  const committer = new Committer({
    writer: stores.writer,
    journal: journalStore.open(engineId, given(lease.epoch)),
    clock,
    log,
    observer,
    onFenced: () => lease.lose('a write was fenced off'),
  });
  const collector = new RecordingCollector({
    ...recordings,
    engine,
    waiting: (limit) => stores.calls.recordingsToStore(engineId, limit),
    done: (ids) => stores.calls.discardableRecordings(ids),
    finish: async (recording, kept) => {
      await controller.finishRecording(recording, kept);
      // What the engine holds is deleted next.
      await committer.written();
    },
    clock,
    log,
    observer: recorded,
  });
  const controller: CallController = new CallController({
    engineId,
    engine,
    lease,
    committer: {
      async commit(effect) {
        const isWritten = await committer.commit(effect);
        if (isWritten) queues.watch.wrote(effect);
        return isWritten;
      },
    },
    archive: new CallArchive(stores.calls, stores.conferences, committer),
    detail: detail?.(engine) ?? NO_DETAIL,
    routing,
    incoming: new IncomingRouter(stores.directory, log, emergency),
    attendedTransfers,
    programs,
    consent,
    boxOf: (numberId) => stores.voicemailBoxes.getOfAnyOwner(numberId),
    clock,
    log,
    metrics,
    credit: options.credit,
    onRecorded: () => collector.wake(),
  });
  void over.then(queues.callBridge.attach(controller));
  const provisioning = new Provisioning(engine, provisioned, cipher, log);
  const mwi = new MwiUpdater({ engine, voicemails: stores.voicemails, clock, log });
  const registrations = new RegistrationRecorder(engineId, engine, watched(stores.registrations, queues, mwi), log);
  const owner = new EngineOwner({
    ...{ engineId, engine, lease, controller, provisioning, registrations },
    ...{ bus, clock, log, graceMs },
  });
  return { engine, lease, sipHealth, over, committer, controller, owner, collector, mwi };
}

/** Agents are in their queues, or not, as their softphones are registered; and a phone that comes is told what waits for it. */
function watched(
  table: RegistrationTable,
  { watch }: OwnedEngineOptions['queues'],
  mwi: MwiUpdater,
): RegistrationTable {
  return {
    async replace(engineId, aors) {
      await table.replace(engineId, aors);
      mwi.forget();
      watch.compareSoon();
    },
    async add(engineId, aor) {
      await table.add(engineId, aor);
      mwi.registered(aor);
      watch.registered([aor]);
    },
    async remove(engineId, aor) {
      await table.remove(engineId, aor);
      mwi.registered(aor);
      watch.registered([aor]);
    },
  };
}

/** A lease that was just acquired has an epoch. */
function given(epoch: number | null): number {
  if (epoch === null) throw new Error('the lease was lost as soon as it was acquired');
  return epoch;
}
