import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RedisCommandBus } from '../adapters/commands/redis-bus.js';
import { GuardedHttpClient } from '../adapters/http/client.js';
import { BullJobs } from '../adapters/jobs/bullmq.js';
import { connectRedis } from '../adapters/jobs/redis.js';
import { FileJournalStore } from '../adapters/journal/journal-store.js';
import { recordingAudio } from '../adapters/media/interleave.js';
import { AudioMediaStore } from '../adapters/media/media-store.js';
import { optionsProbe } from '../adapters/sip/options-probe.js';
import { openSpeech } from '../adapters/speech/index.js';
import type { ApiObserver } from '../api/http/deps.js';
import type { HealthChecks } from '../api/routes/platform/health.js';
import type { Settings } from '../config/settings.js';
import type { Cipher } from '../core/model/access/cipher.js';
import { systemClock } from '../core/ports/clock.js';
import type { Logger } from '../core/ports/logger.js';
import type { ProgramFactory } from '../core/services/call-state/program.js';
import { webhookBacklog } from '../core/data/repositories/webhooks/webhook-backlog.js';
import { ClockWatch } from '../core/services/health/clock-watch.js';
import type { RetentionRules } from '../core/services/retention/retention.js';
import { LaneWaker } from '../core/services/webhooks/wake.js';
import { ReportedEnds } from '../engine/freeswitch/reported-ends.js';
import { openBilling } from './billing.js';
import { callPrices } from './call-prices.js';
import { startApiRole, type ApiRole } from './api-role.js';
import { sessionTimers } from './every-engine.js';
import { EngineRole } from './engine-role.js';
import { openCallflows } from './callflows.js';
import { environmentFlags } from './flags.js';
import { clockPeers } from './clock-peers.js';
import { paymentObserver } from './payment-metrics.js';
import { openPaying } from './payments.js';
import { openPlacing } from './placing.js';
import { openCodes, openVerify, openVoiceAuthDesk } from './codes.js';
import { startJobsRole } from './jobs-role.js';
import { openMailer } from './mailer.js';
import { openMetrics } from './metrics.js';
import { startMetricsServer } from './metrics-server.js';
import { migrateWhenThere } from './migrations.js';
import { registerPartMetrics } from './part-metrics.js';
import type { Parts } from './parts.js';
import { queueObserver, registerQueueGauges } from './queue-metrics.js';
import { openQueueing, QUEUE_CHANNEL } from './queues.js';
import { journalFolder, mediaFolder, unfinishedRecordingsFolder } from './places.js';
import { spokenPrompts } from './prompts.js';
import { CONFIGURATION_CHANNEL, openManagement, type Management } from './services.js';
import { applyTrunkSetting } from './settings-trunk.js';
import { openaiVoice } from './voices.js';
import { openStorages } from './storages.js';
import { restOf } from './rest-of-calls.js';
import { openStores, type Stores } from './stores.js';
import { openTranscriber } from './transcription.js';
import { openVoicemail } from './voicemail.js';

export interface PlatformOptions {
  readonly settings: Settings;
  readonly parts: Parts;
  readonly cipher: Cipher;
  readonly log: Logger;
  /** For tests: watches what the API answers. */
  readonly observer?: ApiObserver;
  /** For measurements: what calls do, instead of the platform's own programs. */
  readonly programs?: (own: ProgramFactory) => ProgramFactory;
}

export interface Platform {
  readonly stores: Stores;
  readonly management: Management;
  /** Null where this process does not serve the API. */
  readonly api: ApiRole | null;
  /** Null where this process does not own engines. */
  readonly engine: EngineRole | null;
  /**
   * Take nothing new, let live calls end for so long, then stop. What is still live is hung up (`hangUp`), or goes on in its engine until
   * the next owner takes it over. Where another process owns or waits for the engines, now or while calls are waited for, it gets them at
   * once with all their calls: nothing is refused, waited for or hung up.
   * @returns whether that was so
   */
  stop(drainMs: number, hangUp: boolean): Promise<boolean>;
  /** A stop, also one that is under way, waits for no calls and hangs none up: whoever starts next takes them over. */
  leaveCalls(): void;
}

/** How long whoever waits for the engines may take to have them. */
const SUCCESSOR_MS = 10_000;

/** How long requests that run are given at a stop. */
const REQUEST_GRACE_MS = 5_000;

/** The platform in this process, on parts that are there already: everything concrete is put together here. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { settings, parts, cipher, log } = options;
  const clock = systemClock;
  await migrateWhenThere(parts.databaseUrl, clock, log);
  const mediaDir = mediaFolder(settings);
  await mkdir(mediaDir, { recursive: true });
  const stores = openStores(parts.databaseUrl, settings.DATABASE_POOL_SIZE);
  const redis = connectRedis(parts.redisUrl, 'hatif:main', log, { maxRetriesPerRequest: 1 });
  const subscriber = connectRedis(parts.redisUrl, 'hatif:subscriber', log);
  const publisher = connectRedis(parts.redisUrl, 'hatif:publisher', log, { maxRetriesPerRequest: 1 });
  const bus = RedisCommandBus.open(publisher, subscriber, log);
  const jobs = new BullJobs({ redisUrl: parts.redisUrl, log });
  const http = new GuardedHttpClient({ allowLoopback: settings.WEBHOOK_ALLOW_LOOPBACK ?? false });
  const speech = await openSpeech({ espeak: parts.speech, openai: openaiVoice(settings) }, join(mediaDir, 'speech'), {
    onFailure: (voice, err) => log.warn({ err, voice }, 'a voice failed'),
  });
  const media = new AudioMediaStore({ dir: mediaDir, allowLoopback: settings.PLAY_URL_ALLOW_LOOPBACK });
  const storages = openStorages(settings);
  // Told at once: otherwise the first recording would be the first to find out, and wait.
  storages.current
    .check()
    .catch((error: unknown) => log.error({ err: error }, 'the storage of recordings cannot be used'));
  const metrics = openMetrics();
  const management = openManagement(stores, storages, cipher, clock, log, redis, settings);
  const waker = new LaneWaker(jobs);
  stores.writer.onLanes((lanes) => waker.wake(lanes));
  const billing = openBilling(stores, clock, (lanes) => waker.wake(lanes));
  const paying = openPaying({
    ...{ stores, settings, clock, log },
    observer: paymentObserver(metrics.registry),
    wake: (lanes) => waker.wake(lanes),
  });
  await applyTrunkSetting(settings, management.trunks);

  const codes = openCodes(stores, cipher, clock);
  const voiceAuth = openVoiceAuthDesk(stores, management.brands, clock);
  const mailer = openMailer(settings);
  const takenEnds = new ReportedEnds();
  const prompts = spokenPrompts(speech, log);
  const voicemail = openVoicemail({
    ...{ stores, storages, media, prompts, mailer, cipher, clock, log },
    isOn: environmentFlags(settings).voicemail ?? true,
  });
  const queues = openQueueing({
    stores,
    redis,
    prompts,
    clock,
    log,
    observer: queueObserver(metrics.registry, (id) => stores.directory.queue(id)),
    boxes: voicemail.boxLookup,
    serves: settings.HATIF_ROLES.includes('engine'),
  });

  const placing = openPlacing({ settings, stores, bus, credit: billing.credit, clock, log });
  const verify = openVerify({
    ...{ settings, stores, codes, speech, mailer, cipher, redis, clock, log },
    brands: management.brands,
    calls: placing.systemCall,
  });
  const callflows = openCallflows({
    ...{ stores, cipher, http, media, speech, verify, clock, log },
    consent: queues.consent,
    announce: () => management.announce(),
  });
  let [stopping, leaving] = [false, false];
  const has = (role: Settings['HATIF_ROLES'][number]): boolean => settings.HATIF_ROLES.includes(role);
  const engine = has('engine')
    ? await EngineRole.start({
        ari: parts.ari,
        codecs: parts.codecs,
        sessionTimers: sessionTimers(settings),
        takenEnds,
        engineSip: parts.engineSip,
        probe: optionsProbe,
        cel: parts.cel,
        stores,
        cipher,
        bus,
        prompts,
        queues,
        credit: billing.credit,
        flows: callflows.programs,
        codes: { codes, voiceAuth },
        voicemail,
        metrics,
        emergency: new Set(settings.EMERGENCY_NUMBERS),
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
        clock,
        log,
        mediaDir,
        graceMs: settings.ENGINE_GRACE_SECONDS * 1000,
        ...(options.programs === undefined ? {} : { programs: options.programs }),
      })
    : null;
  subscriber.on('message', (channel: string, text: string) => {
    if (channel === QUEUE_CHANNEL) queues.heard(text);
    if (channel !== CONFIGURATION_CHANNEL) return;
    stores.directory.forget();
    engine
      ?.configurationChanged()
      .catch((error: unknown) => log.warn({ err: error }, 'the engine was not brought up to date'));
  });
  subscriber
    .subscribe(CONFIGURATION_CHANNEL, QUEUE_CHANNEL)
    .catch((error: unknown) => log.warn({ err: error }, 'Redis is away'));
  const transcriber = has('jobs') ? openTranscriber(settings, log) : null;
  const stopJobs = has('jobs')
    ? startJobsRole({
        stores,
        cipher,
        jobs,
        http,
        observer: metrics.webhooks,
        retention: { rules: retentionRules(settings), observer: metrics.retention },
        storages,
        cdr: settings.CDR_EXPORT ? { keepDays: settings.CDR_EXPORT_KEEP_DAYS, observer: metrics.cdr } : null,
        numbers: management.numbering.sweep,
        voicemail: voicemail.jobs,
        transcriber,
        voiceAuth,
        billing,
        payments: paying.work,
        prices: callPrices(settings),
        clock,
        log,
      })
    : null;
  const stopMetrics =
    settings.METRICS_PORT === undefined
      ? null
      : await startMetricsServer(metrics.registry, settings.HOST, settings.METRICS_PORT);
  const checks: HealthChecks = {
    database: async () => (await stores.db.query('SELECT 1'), 'up'),
    redis: async () => (await redis.ping(), 'up'),
    engines: async () =>
      // The sandbox's simulator carries no telephone call: it neither makes the service well nor ill.
      (await stores.engines.list())
        .filter(({ kind }) => kind !== 'simulator')
        .map(({ id, kind, status, sip_status: sip, leased }) => {
          return { id, kind, status: leased && sip !== 'down' ? status : 'unreachable' };
        }),
    // The SIP edge in front of the engines comes later; phones register straight at the engine.
    sip: () => Promise.resolve('off'),
  };
  registerPartMetrics({
    registry: metrics.registry,
    checks,
    engines: () => stores.engines.list(),
    backlog: has('jobs') ? () => webhookBacklog(stores.db) : null,
    isStopping: () => stopping,
  });
  // Who serves calls looks at all queues all the time.
  if (has('engine')) {
    const { registry } = metrics;
    registerQueueGauges({ registry, queues: () => stores.queues.all(), coordinator: queues.coordinator, clock });
  }
  const clocks = new ClockWatch({
    peers: clockPeers(stores, has('engine') ? parts.ari : null),
    clock,
    log,
    observe: (peer, seconds) => metrics.clockSkew(peer, seconds),
  });
  clocks.start();
  const api = has('api')
    ? await startApiRole({
        settings,
        stores,
        cipher,
        redis,
        bus,
        jobs,
        http,
        media,
        storages,
        speech,
        takenEnds,
        billing,
        payments: paying.payments,
        queues,
        callflows: callflows.service,
        placing,
        verify,
        codes,
        mailer,
        voicemail,
        management,
        metrics,
        checks,
        clock,
        log,
        ...(options.observer === undefined ? {} : { observer: options.observer }),
      })
    : null;

  return {
    stores,
    management,
    api,
    engine,
    async stop(drainMs, hangUp) {
      stopping = true;
      const answered = api?.stop(REQUEST_GRACE_MS);
      const rest = engine && (await restOf(engine, { drainMs, hangUp, clock, isLeaving: () => leaving }));
      // What is still asked goes to the successor, which need not wait for it.
      if (rest !== 'another process') await answered;
      await engine?.stop();
      const taken = rest === 'another process' && engine !== null && (await engine.isTaken(SUCCESSOR_MS));
      await answered;
      await queues.stop();
      await stopJobs?.();
      await stopMetrics?.();
      clocks.stop();
      await stores.writer.idle();
      await Promise.allSettled([
        bus.close(),
        jobs.close(),
        http.close(),
        media.close(),
        speech.close(),
        transcriber?.close(),
        paying.close(),
      ]);
      redis.disconnect();
      await stores.db.close();
      return taken;
    },
    leaveCalls() {
      leaving = true;
    },
  };
}

function retentionRules(settings: Settings): RetentionRules {
  const { RETENTION_EVENTS_DAYS, RETENTION_TIMELINE_DAYS, RETENTION_AUDIT_DAYS, RETENTION_VERIFICATIONS_DAYS } =
    settings;
  return {
    eventsDays: RETENTION_EVENTS_DAYS,
    timelineDays: RETENTION_TIMELINE_DAYS,
    auditDays: RETENTION_AUDIT_DAYS,
    verificationsDays: RETENTION_VERIFICATIONS_DAYS,
  };
}
