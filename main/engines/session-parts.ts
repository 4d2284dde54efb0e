import { SoftphoneTextTable } from '../../core/data/repositories/messaging/softphone-texts.js';
import type { TrunkRow } from '../../core/data/rows.js';
import { NO_DETAIL } from '../../core/ports/call-detail.js';
import type { Engine } from '../../core/ports/engine.js';
import { CallArchive } from '../../core/services/call-state/call-archive.js';
import { EngineOwner } from '../../core/services/engine-ownership/engine-owner.js';
import type { EngineLease } from '../../core/services/engine-ownership/lease.js';
import { Provisioning } from '../../core/services/engine-ownership/provisioning.js';
import {
  RegistrationRecorder,
  type RegistrationTable,
} from '../../core/services/engine-ownership/registration-recorder.js';
import { TrunkWatch } from '../../core/services/engine-ownership/trunk-watch.js';
import { CallController } from '../../core/services/live-calls/controller/call-controller.js';
import { Committer } from '../../core/services/live-calls/journal/committer.js';
import { textRow } from '../../core/services/messaging/softphone-texts/take-texts.js';
import { untilDone } from '../../core/services/messaging/submitting/submit.js';
import { RecordingCollector } from '../../core/services/recordings/collector.js';
import { RefusalRecorder } from '../../core/services/refused-calls/recorder.js';
import { TrunkUse } from '../../core/services/trunks/trunk-use.js';
import { MwiUpdater } from '../../core/services/voicemail/mwi.js';
import type { EngineDefinition, OwnershipOptions } from './engine-definition.js';

/** The components that work on an engine's calls during one session. */
export interface SessionParts {
  /** Writes changes of calls under the session's epoch. */
  readonly committer: Committer;
  readonly controller: CallController;
  readonly owner: EngineOwner;
  /** Moves finished recordings from the engine to the storage. */
  readonly collector: RecordingCollector;
  readonly mwi: MwiUpdater;
  readonly trunkWatch: TrunkWatch;
  readonly refusals: RefusalRecorder;
}

/**
 * Creates the components that work on an engine's calls, without starting them.
 * @param lease must be held
 */
export function openSessionParts(
  engine: Engine,
  lease: EngineLease,
  definition: EngineDefinition,
  options: OwnershipOptions,
): SessionParts {
  const { stores, cipher, bus, queues, journalStore, clock, log, graceMs } = options;
  const { engineId, detail } = definition;
  const committer = new Committer({
    writer: stores.writer,
    journal: journalStore.open(engineId, epochOf(lease)),
    clock,
    log,
    observer: definition.journal,
    onFenced: () => lease.lose('a write was fenced off'),
  });
  const collector = new RecordingCollector({
    ...options.recordings,
    engine,
    waiting: (limit, except) => stores.calls.recordingsToStore(engineId, limit, except),
    done: (ids) => stores.calls.discardableRecordings(ids),
    finish: async (recording, kept) => {
      await controller.finishRecording(recording, kept);
      // Afterwards the engine's copy is deleted.
      await committer.written();
    },
    clock,
    log,
    observer: definition.recorded,
  });
  const trunks = (): Promise<readonly TrunkRow[]> => definition.provisioned.trunks();
  const trunkWatch = new TrunkWatch({ engineId, engine, table: stores.trunkStates, trunks, clock, log });
  const refusals = new RefusalRecorder({
    engineId,
    table: stores.refusedCalls,
    observe: definition.metrics.refused,
    onBlocked: (block, call) => options.blockReports.note(block, call),
    clock,
    log,
  });
  const controller: CallController = new CallController({
    engineId,
    engine,
    lease,
    committer: {
      async commit(effect, isAwaited) {
        const isWritten = await committer.commit(effect, isAwaited);
        if (isWritten) queues.watch.wrote(effect);
        return isWritten;
      },
    },
    archive: new CallArchive(stores.calls, stores.conferences, committer),
    detail: detail?.(engine) ?? NO_DETAIL,
    routing: definition.routing,
    incoming: definition.incoming,
    ...(definition.forwarding && { forwarding: definition.forwarding }),
    attendedTransfers: options.attendedTransfers,
    programs: definition.programs?.(options.programs) ?? options.programs,
    consent: options.consent,
    boxOf: (numberId) => stores.voicemailBoxes.getOfAnyOwner(numberId),
    clock,
    log,
    metrics: definition.metrics,
    credit: options.credit,
    gate: options.gate,
    isTrunkDown: (trunkId) => trunkWatch.isDown(trunkId),
    ...(definition.usesTrunks && { trunkUse: new TrunkUse({ directory: stores.directory, calls: stores.trunkCalls }) }),
    ...(definition.recordsRefusals && { onRefused: (event, refusal) => refusals.note(event, refusal) }),
    onRecorded: () => collector.wake(),
  });
  const provisioning = new Provisioning(engine, definition.provisioned, cipher, log);
  const mwi = new MwiUpdater({ engine, voicemails: stores.voicemails, clock, log });
  const registrations = new RegistrationRecorder(engineId, engine, watched(stores.registrations, queues, mwi), log);
  const texts = new SoftphoneTextTable(stores.db);
  const owner = new EngineOwner({
    ...{ engineId, engine, lease, controller, provisioning, registrations },
    takeText: (text) => untilDone(clock, () => texts.add(textRow(text, clock.now()))),
    ...{ bus, clock, log, graceMs },
  });
  return { committer, controller, owner, collector, mwi, trunkWatch, refusals };
}

/**
 * The table of registrations; each change also reaches the queues of the agent and the phone's message waiting
 * indicator.
 */
function watched(table: RegistrationTable, { watch }: OwnershipOptions['queues'], mwi: MwiUpdater): RegistrationTable {
  return {
    async replace(engineId, aors) {
      await table.replace(engineId, aors);
      mwi.reset();
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
function epochOf({ epoch }: EngineLease): number {
  if (epoch === null) throw new Error('the lease was lost as soon as it was acquired');
  return epoch;
}
