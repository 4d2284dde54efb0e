import { FileJournalStore } from '../../adapters/journal/journal-store.js';
import { recordingAudio } from '../../adapters/media/interleave.js';
import { optionsProbe } from '../../adapters/sip/options-probe.js';
import type { LegEnds } from '../../core/ports/leg-ends.js';
import { AgentForwarding } from '../../core/services/live-calls/routing/forwarding.js';
import { OnwardRouter } from '../../core/services/live-calls/routing/onward.js';
import type { ProgramFactory } from '../../core/services/call-state/program.js';
import { EngineRole } from '../engines/engine-role.js';
import { sessionTimers, sipSecurity } from '../install/engine-settings.js';
import { journalFolder, unfinishedRecordingsFolder } from '../install/places.js';
import { readFeatureCodes } from './feature-codes.js';
import type { Infrastructure } from '../wiring/infrastructure.js';
import type { Services } from '../wiring/services.js';

export interface EngineStartOptions {
  readonly legEnds: LegEnds;
  /** For measurements: replaces the programs of calls. */
  readonly programs?: (own: ProgramFactory) => ProgramFactory;
}

/** Starts the role `engine`. Resolves when each engine's lease was requested once; engines may connect later. */
export function startEngineRole(
  infrastructure: Infrastructure,
  { prompts, queues, billing, callflows, codes, challengeCalls, voicemail, placing, blockReports }: Services,
  options: EngineStartOptions,
): Promise<EngineRole> {
  const { settings, parts, stores, storages, cipher, bus, ownCalls } = infrastructure;
  const { metrics, mediaDir, sipEdge: edge, clock, log } = infrastructure;
  const { directory } = stores;
  const emergency = new Set(settings.EMERGENCY_NUMBERS);
  return EngineRole.start({
    ...options,
    ...{ stores, cipher, bus, ownCalls, prompts, queues, voicemail, metrics, mediaDir, edge, clock, log },
    ari: parts.ari,
    codecs: parts.codecs,
    cel: parts.cel,
    engineSip: parts.engineSip,
    sessionTimers: sessionTimers(settings),
    trunkProbeSeconds: settings.TRUNK_PROBE_SECONDS,
    security: sipSecurity(settings),
    probe: optionsProbe,
    credit: billing.credit,
    blockReports,
    gate: placing.gate,
    flows: callflows.programs,
    codes: { codes, voiceAuth: challengeCalls },
    ...{ emergency, featureCodes: readFeatureCodes(settings) },
    forwarding: new AgentForwarding({
      ...{ directory, calls: stores.calls, emergency, clock },
      routing: placing.routing,
      onward: new OnwardRouter({ directory, boxes: voicemail.boxLookup }),
      onBlocked: (block, call) => blockReports.note(block, call),
    }),
    attendedTransfers: settings.SOFTPHONE_ATTENDED_TRANSFER,
    recordings: {
      audio: recordingAudio,
      store: storages.current,
      folder: unfinishedRecordingsFolder(settings),
    },
    journalStore: new FileJournalStore({
      folder: journalFolder(settings),
      maxBytes: settings.JOURNAL_MAX_MB * 1024 * 1024,
      log,
    }),
    graceMs: settings.ENGINE_GRACE_SECONDS * 1000,
  });
}
