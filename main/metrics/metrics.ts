import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RefusalReason } from '../../core/model/call/refusal.js';
import type { CallMetrics } from '../../core/services/live-calls/registry/live-calls.js';
import type { JournalObserver } from '../../core/services/live-calls/journal/committer.js';
import { durationSeconds } from '../../core/services/call-state/presenting/call.js';
import type { RecordingObserver } from '../../core/services/recordings/collector.js';
import type { CdrObserver } from '../../core/services/cdr/daily.js';
import type { RetentionObserver } from '../../core/services/retention/retention.js';
import type { DeliveryObserver } from '../../core/services/webhooks/deliverer.js';
import type { ConnectOutcome } from '../../core/services/web-calling/connect.js';
import { qualityMetrics } from './quality-metrics.js';
import { webConnectCounter } from './web-calling-metrics.js';

/** The metrics of this process, in one registry. */
export interface PlatformMetrics {
  readonly registry: Registry;
  readonly webhooks: DeliveryObserver;
  readonly retention: RetentionObserver;
  readonly cdr: CdrObserver;
  /** Seconds by which this process's clock is ahead of the peer's; null while the peer cannot be read. */
  clockSkew(peer: string, seconds: number | null): void;
  /** @param engine name of the engine */
  calls(engine: string): CallMetrics & { readonly refused: (reason: RefusalReason) => void };
  journal(engine: string): JournalObserver;
  recordings(engine: string): RecordingObserver;
  /** An address or a user was locked out of the SIP edge. */
  sipLockout(kind: string, reason: string): void;
  /** A request was not served by the SIP edge. */
  sipRefused(reason: string): void;
  /** A browser asked to connect. */
  readonly webConnected: (outcome: ConnectOutcome) => void;
  /** An answer of the SIP edge waits, because its address guessed passwords. */
  sipDelayed(): void;
}

export function openMetrics(): PlatformMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const live = new Gauge({
    name: 'hatif_calls_live',
    help: 'Live calls that this process controls.',
    labelNames: ['engine'],
    registers,
  });
  const finished = new Counter({
    name: 'hatif_calls_finished_total',
    help: 'Ended calls, by engine, kind and final status.',
    labelNames: ['engine', 'kind', 'status'],
    registers,
  });
  const refused = new Counter({
    name: 'hatif_calls_refused_total',
    help: 'Incoming calls that were refused before they began, by engine and reason.',
    labelNames: ['engine', 'reason'],
    registers,
  });
  const durations = new Histogram({
    name: 'hatif_call_duration_seconds',
    help: 'Time from answer to end of answered calls.',
    buckets: [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600],
    registers,
  });
  const observeQuality = qualityMetrics(registry);
  const webConnected = webConnectCounter(registry);
  const illegal = new Counter({
    name: 'hatif_call_illegal_moves_total',
    help: 'Call state transitions that were rejected: bugs in Hatif or in an engine.',
    labelNames: ['from', 'to'],
    registers,
  });
  const attempts = new Counter({
    name: 'hatif_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by result.',
    labelNames: ['result'],
    registers,
  });
  const attemptDurations = new Histogram({
    name: 'hatif_webhook_attempt_duration_seconds',
    help: 'Response time of webhook receivers.',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const disabled = new Counter({
    name: 'hatif_webhook_endpoints_disabled_total',
    help: 'Webhook endpoints that were disabled, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const journalEntries = new Gauge({
    name: 'hatif_journal_entries',
    help: 'Changes of calls that wait on disk for the database.',
    labelNames: ['engine'],
    registers,
  });
  const journalBytes = new Gauge({
    name: 'hatif_journal_bytes',
    help: 'Size of the journal of waiting changes on disk.',
    labelNames: ['engine'],
    registers,
  });
  const journalRefusals = new Counter({
    name: 'hatif_journal_refusals_total',
    help: 'Changes that the journal refused because it was full or the disk failed; they wait in memory.',
    labelNames: ['engine', 'reason'],
    registers,
  });
  const recordingsWaiting = new Gauge({
    name: 'hatif_recordings_waiting',
    help: 'Finished recordings that wait to be moved from the engine to the storage.',
    labelNames: ['engine'],
    registers,
  });
  const skew = new Gauge({
    name: 'hatif_clock_skew_seconds',
    help: 'Seconds by which this process’s clock is ahead of the peer’s; negative if behind. Absent while the peer cannot be read.',
    labelNames: ['peer'],
    registers,
  });
  const sipLockouts = new Counter({
    name: 'hatif_sip_lockouts_total',
    help: 'Addresses and users that were locked out of the SIP edge, by kind and reason.',
    labelNames: ['kind', 'reason'],
    registers,
  });
  const sipRefusals = new Counter({
    name: 'hatif_sip_refused_total',
    help: 'SIP requests that the edge did not serve, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const sipDelays = new Counter({
    name: 'hatif_sip_delayed_total',
    help: 'Answers of the SIP edge that waited, because their addresses guessed passwords.',
    registers,
  });
  const purged = new Counter({
    name: 'hatif_retention_deleted_total',
    help: 'Expired rows that were deleted, by table.',
    labelNames: ['table'],
    registers,
  });
  const purgedAt = new Gauge({
    name: 'hatif_retention_last_run_timestamp_seconds',
    help: 'When a retention run last completed in any process.',
    registers,
  });
  const cdrFiles = new Counter({
    name: 'hatif_cdr_files_total',
    help: 'Files of call detail records that this process wrote to the storage.',
    registers,
  });
  const cdrMissing = new Gauge({
    name: 'hatif_cdr_missing_days',
    help: 'Days of organizations whose file of call detail records is missing in the storage or differs from usage.',
    registers,
  });
  return {
    registry,
    cdr: { written: () => cdrFiles.inc(), missing: (days) => cdrMissing.set(days) },
    calls: (engine) => ({
      illegalMove: (from, to) => illegal.inc({ from, to }),
      live: (calls) => live.set({ engine }, calls),
      refused: (reason) => refused.inc({ engine, reason }),
      finished(call, legs) {
        finished.inc({ engine, kind: call.kind, status: call.status });
        const seconds = durationSeconds(call);
        if (seconds !== null) durations.observe(seconds);
        for (const { quality } of legs) if (quality) observeQuality(engine, quality);
      },
    }),
    journal(engine) {
      journalEntries.set({ engine }, 0);
      journalBytes.set({ engine }, 0);
      return {
        holds(entries, bytes) {
          journalEntries.set({ engine }, entries);
          journalBytes.set({ engine }, bytes);
        },
        refused: (reason) => journalRefusals.inc({ engine, reason }),
      };
    },
    recordings(engine) {
      recordingsWaiting.set({ engine }, 0);
      return { waiting: (recordings) => recordingsWaiting.set({ engine }, recordings) };
    },
    sipLockout: (kind, reason) => sipLockouts.inc({ kind, reason }),
    sipRefused: (reason) => sipRefusals.inc({ reason }),
    sipDelayed: () => sipDelays.inc(),
    webConnected,
    clockSkew(peer, seconds) {
      if (seconds === null) skew.remove({ peer });
      else skew.set({ peer }, seconds);
    },
    retention: {
      deleted: (table, rows) => purged.inc({ table }, rows),
      finished: (at) => purgedAt.set(at.getTime() / 1000),
    },
    webhooks: {
      attempted(result, durationMs) {
        attempts.inc({ result });
        attemptDurations.observe(durationMs / 1000);
      },
      endpointDisabled: (reason) => disabled.inc({ reason }),
    },
  };
}
