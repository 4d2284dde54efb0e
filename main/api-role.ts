import type { Redis } from 'ioredis';
import type { Settings } from '../config/settings.js';
import type { Cipher } from '../core/model/cipher.js';
import type { Clock } from '../core/ports/clock.js';
import type { CommandBus } from '../core/ports/command-bus.js';
import type { JobQueue } from '../core/ports/jobs.js';
import type { Logger } from '../core/ports/logger.js';
import type { Mailer } from '../core/ports/mail.js';
import type { MediaStore } from '../core/ports/media-store.js';
import type { ObjectStores } from '../core/ports/object-store.js';
import type { OutboundHttp } from '../core/ports/outbound-http.js';
import type { Speech } from '../core/ports/speech.js';
import { Callbacks } from '../core/data/repositories/callbacks.js';
import { timelineOf } from '../core/data/repositories/timeline.js';
import { AuditLog } from '../core/services/access/audit.js';
import { Authenticator } from '../core/services/access/authenticate.js';
import { Idempotency } from '../core/services/access/idempotency.js';
import { MemoryRateLimiter, RedisRateLimiter, type RateLimiter } from '../core/services/access/rate-limit.js';
import { AudioService, type AudioUse } from '../core/services/audio/audio.js';
import type { CallflowService } from '../core/services/callflows/manage.js';
import { CancelCallback } from '../core/services/callbacks/cancel.js';
import { PlaceCallback } from '../core/services/callbacks/place.js';
import { CallbackQueues } from '../core/services/callbacks/queue.js';
import { ReadCallbacks } from '../core/services/callbacks/read.js';
import { ControlCall } from '../core/services/calls/control.js';
import { PlaceCall } from '../core/services/calls/place.js';
import { PrepareAudio } from '../core/services/calls/prepare-audio.js';
import { ReadCalls } from '../core/services/calls/read.js';
import { MonitorCall } from '../core/services/monitoring/monitor-call.js';
import { RedisCallVelocity } from '../core/services/calls/velocity.js';
import { TransferCall } from '../core/services/calls/transfer-call.js';
import { SpokenCodes } from '../core/services/codes/spoken-codes.js';
import type { OneTimeCodes } from '../core/services/codes/one-time-codes.js';
import type { Verify } from '../core/services/verify/verify.js';
import { ControlConference } from '../core/services/conferences/control.js';
import { ReadConferences } from '../core/services/conferences/read.js';
import { EventFeed } from '../core/services/events/feed.js';
import { EventLog } from '../core/services/events/list.js';
import type { PaymentService } from '../core/services/payments/manage.js';
import { ClaimOwnNumber } from '../core/services/own-numbers/claims.js';
import { ClaimLimits } from '../core/services/own-numbers/limits.js';
import { aboutAgentChange } from '../core/services/queues/facts.js';
import { QueueService } from '../core/services/queues/manage.js';
import { ReadQueues } from '../core/services/queues/read.js';
import { DeleteRecordings } from '../core/services/recordings/delete.js';
import { RecordingLinks } from '../core/services/recordings/links.js';
import { ReadRecordings } from '../core/services/recordings/read.js';
import { RecordingRemoval } from '../core/services/recordings/removal.js';
import type { Routing } from '../core/services/routing/destinations.js';
import type { CallRow } from '../core/data/rows.js';
import { SandboxRouting } from '../core/services/sandbox/routing.js';
import { ReadTranscripts } from '../core/services/transcription/read.js';
import { ReadUsage } from '../core/services/usage/read.js';
import { DeliveryLog } from '../core/services/webhooks/delivery-log.js';
import { WebhookEndpoints } from '../core/services/webhooks/endpoints.js';
import { WidgetGate } from '../core/services/widgets/gate.js';
import { MessageSigner } from '../core/services/webhooks/message.js';
import { LaneWaker } from '../core/services/webhooks/wake.js';
import { createApp } from '../api/http/app.js';
import type { ApiObserver } from '../api/http/deps.js';
import { Lifecycle } from '../api/http/lifecycle.js';
import { ApiMetrics } from '../api/http/metrics.js';
import { startServer, type RunningServer } from '../api/http/server.js';
import type { Route } from '../api/http/route.js';
import { agentRoutes } from '../api/routes/agents.js';
import { audioRoutes } from '../api/routes/audio.js';
import { controlRoutes } from '../api/routes/call-control.js';
import { callbackRoutes } from '../api/routes/callbacks.js';
import { callflowRoutes } from '../api/routes/callflows.js';
import { billingRoutes } from '../api/routes/billing.js';
import { callRoutes } from '../api/routes/calls.js';
import { docsRouter } from '../api/routes/docs.js';
import { eventRoutes } from '../api/routes/events.js';
import { freeswitchRouter } from '../api/routes/freeswitch.js';
import { healthRoute, probeRouter, type HealthChecks } from '../api/routes/health.js';
import { numberBindingRoutes } from '../api/routes/number-binding.js';
import { numberRoutes } from '../api/routes/numbers.js';
import { openApiRoute } from '../api/routes/openapi.js';
import { ownNumberRoutes } from '../api/routes/own-numbers.js';
import { paymentRoutes } from '../api/routes/payments.js';
import { portingRoutes } from '../api/routes/porting.js';
import { queueAgentRoutes } from '../api/routes/queue-agents.js';
import { queueRoutes } from '../api/routes/queues.js';
import { recordingRoutes } from '../api/routes/recordings.js';
import { conferenceRoutes } from '../api/routes/conferences.js';
import { monitorRoutes } from '../api/routes/monitors.js';
import { transcriptRoutes } from '../api/routes/transcripts.js';
import { transferRoutes } from '../api/routes/transfers.js';
import { usageRoutes } from '../api/routes/usage.js';
import { virtualNumberRoutes } from '../api/routes/virtual-numbers.js';
import { verifyRoutes } from '../api/routes/verify.js';
import { voiceAuthRoutes } from '../api/routes/voice-auth.js';
import { brandRoutes } from '../api/routes/voice-auth-brands.js';
import { webhookDeliveryRoutes } from '../api/routes/webhook-deliveries.js';
import { voicemailRoutes } from '../api/routes/voicemail.js';
import { webhookRoutes } from '../api/routes/webhooks.js';
import { widgetPages } from '../api/routes/widget-pages.js';
import type { WidgetDemo } from '../api/pages/widget.js';
import type { TakenEnds } from '../engine/freeswitch/taken-ends.js';
import { callPrices } from './call-prices.js';
import { openSender, openVoiceAuth } from './codes.js';
import { environmentFlags } from './flags.js';
import { freeswitchAnswers } from './freeswitch-answers.js';
import type { PlatformMetrics } from './metrics.js';
import { deadOwner, PROCESS } from './owner-name.js';
import type { Billing } from './billing.js';
import type { Placing } from './placing.js';
import type { Queueing } from './queues.js';
import type { Management } from './services.js';
import type { Stores } from './stores.js';
import { VERSION } from './version.js';
import { openVirtualNumbers } from './virtual-numbers.js';
import type { Voicemail } from './voicemail.js';
import { widgetScript } from './widget-script.js';
import { openWidgets } from './widgets.js';

export interface ApiRoleOptions {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly cipher: Cipher;
  readonly redis: Redis;
  readonly bus: CommandBus;
  readonly jobs: JobQueue;
  readonly http: OutboundHttp;
  readonly media: MediaStore;
  readonly storages: ObjectStores;
  readonly speech: Speech;
  readonly takenEnds: TakenEnds;
  readonly callflows: CallflowService;
  readonly placing: Placing;
  readonly verify: Verify;
  readonly queues: Pick<Queueing, 'desk' | 'signIn'>;
  readonly codes: OneTimeCodes;
  readonly mailer: Mailer | null;
  readonly management: Pick<Management, 'agents' | 'brands' | 'announce' | 'numbering' | 'widgets'>;
  readonly voicemail: Pick<Voicemail, 'boxes' | 'messages'>;
  readonly billing: Billing;
  readonly payments: PaymentService;
  readonly metrics: PlatformMetrics;
  readonly checks: HealthChecks;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer?: ApiObserver;
}

export interface ApiRole {
  readonly url: string;
  readonly routes: readonly Route[];
  /** What the page is about on which people try the click-to-call widget; without it there is no such page. */
  showDemo(demo: WidgetDemo | null): void;
  /** Readiness goes off at once; requests that run are finished. */
  stop(graceMs: number): Promise<void>;
}

export async function startApiRole(options: ApiRoleOptions): Promise<ApiRole> {
  const { settings, stores, cipher, redis, metrics, clock, log } = options;
  const lifecycle = new Lifecycle();
  let url = settings.PUBLIC_URL?.replace(/\/+$/, '') ?? '';
  const publicUrl = (): string => url;
  const rateLimiter = new RedisRateLimiter(redis, log, clock);
  const { routes, stop: stopServices } = openRoutes(options, rateLimiter, publicUrl);
  const addressLimiter = new MemoryRateLimiter(clock);
  const audit = new AuditLog(stores.db, clock, log);
  const { registry } = metrics;
  let demo: WidgetDemo | null = null;
  const ownMetricsPort = settings.METRICS_PORT;
  const app = createApp({
    routes,
    routers: [
      docsRouter({ routes, publicUrl }),
      widgetPages({ script: await widgetScript(), demo: () => demo, publicUrl }),
      freeswitchRouter({
        identify: freeswitchAnswers({ stores, cipher, takenEnds: options.takenEnds, log }),
        addressLimiter,
        refusedPerMinute: settings.RATE_LIMIT_ADDRESS_PER_MINUTE,
      }),
      probeRouter({ lifecycle, checks: options.checks, ...(ownMetricsPort === undefined ? { registry } : {}) }),
    ],
    authenticator: new Authenticator({ store: stores.keys, clock, logger: log }),
    widgets: new WidgetGate({ ...stores, clock }),
    allowedOrigins: settings.API_ALLOWED_ORIGINS,
    rateLimiter,
    addressLimiter,
    limits: {
      sandboxPerMinute: settings.RATE_LIMIT_SANDBOX_PER_MINUTE,
      livePerMinute: settings.RATE_LIMIT_LIVE_PER_MINUTE,
      addressPerMinute: settings.RATE_LIMIT_ADDRESS_PER_MINUTE,
      widgetPerMinute: settings.RATE_LIMIT_WIDGET_PER_MINUTE,
    },
    idempotency: new Idempotency({
      db: stores.db,
      cipher,
      clock,
      logger: log,
      processes: { own: PROCESS, isDead: (name) => name !== PROCESS && deadOwner(name) !== null },
    }),
    audit,
    cipher,
    clock,
    logger: log,
    metrics: new ApiMetrics(registry),
    lifecycle,
    flags: environmentFlags(settings),
    publicUrl,
    trustProxy: settings.TRUST_PROXY,
    ...(options.observer === undefined ? {} : { observer: options.observer }),
  });
  const server = await startServer(app, { host: settings.HOST, port: settings.PORT, lifecycle, publicUrl });
  url ||= addressOf(settings.HOST, server.port);
  return {
    url,
    routes,
    showDemo: (shown) => void (demo = shown),
    async stop(graceMs) {
      await (server satisfies RunningServer).close(graceMs);
      await audit.close();
      stopServices();
    },
  };
}

/** The routes and what stands behind them. */
function openRoutes(
  options: ApiRoleOptions,
  rateLimiter: RateLimiter,
  publicUrl: () => string,
): { routes: Route[]; stop: () => void } {
  const { settings, stores, cipher, redis, bus, jobs, http, media, storages, speech, clock, log } = options;
  const { db, writer, calls, directory, recordings } = stores;
  const { desk, signIn } = options.queues;
  const flags = environmentFlags(settings);
  const waker = new LaneWaker(jobs);
  const wake = (lanes: readonly string[]): void => waker.wake(lanes);
  const endpoints = new WebhookEndpoints({ db, http, signer: new MessageSigner(cipher), cipher, clock });
  const audio = new AudioService({
    db,
    media,
    clock,
    uses: [musicOf(stores.queues), promptsOf(stores.callflows), options.voicemail.boxes.audioUse],
  });
  const feed = new EventFeed({ db, clock, log });
  const stopSignals = writer.onLanes(() => feed.signal());
  const prepareAudio = new PrepareAudio({
    media,
    speech,
    hasAudio: (projectId, audioId) => audio.has(projectId, audioId),
  });
  const { routing, placement, engines, trial, systemCall } = options.placing;
  const checkWebhookUrl = (address: string): void => endpoints.assertUrl(address);
  const velocity = new RedisCallVelocity({
    redis,
    limits: {
      perMinute: settings.CALL_VELOCITY_PER_MINUTE,
      numberPerTenMinutes: settings.CALL_VELOCITY_NUMBER_PER_10_MINUTES,
    },
    isOn: async (id) => (await stores.organizations.get(id))?.flags.call_velocity ?? flags.call_velocity ?? false,
    log,
  });
  const place = new PlaceCall({
    placement,
    velocity,
    routing,
    audio: prepareAudio,
    agentByExtension: (projectId, agent) => directory.agentByExtension(projectId, agent),
    queue: (projectId, queueId) => stores.queues.get(projectId, queueId),
    activeFlow: (projectId, callflowId) => stores.callflows.findActive(projectId, callflowId),
    engines,
    checkWebhookUrl,
  });
  const callbacks = new Callbacks(db);
  const placeCallback = new PlaceCallback({
    placement,
    queues: new CallbackQueues({ queues: stores.queues, desk }),
    directory,
    velocity,
    routing,
    trial,
    clock,
    engines,
    checkWebhookUrl,
  });
  const { verify } = options;
  const verifying = { ...options, brands: options.management.brands, calls: systemCall };
  const control = new ControlCall({ calls, audio: prepareAudio, bus });
  const sandboxRouting = new SandboxRouting();
  const routingOf = ({ sandbox }: Pick<CallRow, 'sandbox'>): Routing => (sandbox ? sandboxRouting : routing);
  const transfers = new TransferCall({
    calls,
    routingOf,
    queue: (projectId, queueId) => stores.queues.get(projectId, queueId),
    callflow: (projectId, callflowId) => stores.callflows.findActive(projectId, callflowId),
    checkDestination: (number, field) => placement.checkDestination(number, field),
    bus,
  });
  const { conferences } = stores;
  const readConferences = new ReadConferences(conferences);
  const controlConference = new ControlConference({
    calls,
    conferences,
    read: readConferences,
    control,
    audio: prepareAudio,
    bus,
  });
  const { agents, announce, numbering } = options.management;
  const queues = new QueueService({
    queues: stores.queues,
    desk,
    hasNumber: async (projectId, e164) => (await stores.numbers.findByE164(e164))?.project_id === projectId,
    hasCallflow: async (projectId, id) => (await stores.callflows.get({ projectId, sandboxOnly: false }, id)) !== null,
    musicPath: async (projectId, audioId) => ((await audio.has(projectId, audioId)) ? media.pathOf(audioId) : null),
    clock,
    announce,
  });
  const readQueues = new ReadQueues({ desk, queues, visits: stores.queueVisits, clock });
  const readCalls = new ReadCalls(calls, (callId) => timelineOf(db, callId));
  const routes: Route[] = [
    ...controlRoutes({ control, isOn: (flag, { organization }) => organization.flags[flag] ?? flags[flag] ?? true }),
    ...callRoutes({
      place,
      read: readCalls,
    }),
    ...transferRoutes({ transfers }),
    ...monitorRoutes({ monitor: new MonitorCall({ calls, routingOf, bus }) }),
    ...conferenceRoutes({ read: readConferences, control: controlConference }),
    ...callbackRoutes({
      place: placeCallback,
      read: new ReadCallbacks(callbacks, clock),
      cancel: new CancelCallback({ callbacks, bus, clock }),
      calls: readCalls,
    }),
    ...recordingRoutes({
      read: new ReadRecordings({
        calls,
        conferences,
        recordings,
        stores: storages,
        links: new RecordingLinks(cipher, clock),
        clock,
      }),
      remove: new DeleteRecordings({
        calls,
        conferences,
        recordings,
        removal: new RecordingRemoval({ recordings, stores: storages, log }),
      }),
      publicUrl,
    }),
    ...voicemailRoutes({ ...options.voicemail, publicUrl }),
    ...transcriptRoutes({ read: new ReadTranscripts({ calls, recordings, transcripts: stores.transcripts }) }),
    // Before the queues: a queue's id is no `members`.
    ...queueAgentRoutes({ signIn, read: readQueues }),
    ...queueRoutes({ queues, read: readQueues }),
    ...agentRoutes({ agents, told: aboutAgentChange(desk) }),
    // Before the flows: a flow's id is no `audio`.
    ...audioRoutes({ audio }),
    ...callflowRoutes({
      callflows: options.callflows,
      hasGraphs: ({ organization }) => organization.flags.graph_callflows ?? flags.graph_callflows ?? true,
    }),
    // Before the numbers: a number's id is no `own-did`.
    ...ownNumberRoutes({
      claims: new ClaimOwnNumber({
        ...numbering,
        claims: stores.ownNumberClaims,
        inventory: stores.inventory,
        codes: options.codes,
        spoken: new SpokenCodes(speech, systemCall),
        limits: new ClaimLimits(new RedisRateLimiter(options.redis, log, clock), cipher),
        clock,
      }),
    }),
    ...numberRoutes(numbering),
    ...portingRoutes(numbering),
    ...virtualNumberRoutes(
      openVirtualNumbers({
        stores,
        numbering,
        media,
        speech,
        checkDestination: (number, field) => placement.checkDestination(number, field),
        announce,
        clock,
        log,
      }),
    ),
    ...numberBindingRoutes({ numbers: numbering.service }),
    ...webhookRoutes({ endpoints, cipher }),
    ...webhookDeliveryRoutes(new DeliveryLog({ db, jobs, clock, wake })),
    ...eventRoutes({ log: new EventLog(db), feed }),
    ...verifyRoutes({ verify }),
    ...voiceAuthRoutes({ voiceAuth: openVoiceAuth(verifying) }),
    ...brandRoutes({ brands: options.management.brands }),
    ...usageRoutes({ read: new ReadUsage(stores.usage, callPrices(settings)) }),
    ...billingRoutes(options.billing),
    ...paymentRoutes(options),
    ...openWidgets({
      ...options,
      place: placeCallback,
      sender: openSender({ ...options, calls: systemCall }),
      callbacks,
      feed,
      rateLimiter,
      publicUrl,
    }),
    healthRoute({ version: VERSION, checks: options.checks }),
  ];
  routes.push(openApiRoute({ routes: () => routes, version: VERSION, publicUrl }));
  return { routes, stop: stopSignals };
}

/** The queue whose callers hear an uploaded audio file. */
function musicOf(queues: Stores['queues']): AudioUse {
  return async (projectId, audioId) => {
    const queue = await queues.withMusic(projectId, audioId);
    return queue && { en: `the queue ${queue.name}`, ar: `قائمة الانتظار ${queue.name}` };
  };
}

/** The call flow that plays an audio file, if there is one. */
function promptsOf(callflows: Stores['callflows']): AudioUse {
  return async (projectId, audioId) => {
    const [name] = await callflows.playing(projectId, audioId);
    return name === undefined ? null : { en: `the call flow ${name}`, ar: `مسار المكالمات ${name}` };
  };
}

/** An address to be listened on is not always one to be called. */
function addressOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
