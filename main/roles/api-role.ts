import { existsSync } from 'node:fs';
import type { Express } from 'express';
import { commandsFor } from '../../core/model/commands.js';
import { AccessTokens } from '../../core/services/access/access-tokens.js';
import { AuditLog } from '../../core/services/access/audit.js';
import { Authenticator } from '../../core/services/access/authenticate.js';
import { AdministratorGate } from '../../core/services/administration/authenticate.js';
import { CustomerNumbers } from '../../core/services/calls/customer-numbers.js';
import { Idempotency } from '../../core/services/access/idempotency.js';
import { MemoryRateLimiter, RedisRateLimiter } from '../../core/services/access/rate-limit.js';
import { AcmeCertificates } from '../../core/data/repositories/certificates/certificates.js';
import { ScimTokens } from '../../core/data/repositories/scim/tokens.js';
import { ScimGate } from '../../core/services/scim/gate.js';
import { OverviewRows } from '../../core/data/repositories/engines/overview-rows.js';
import { cachedFor } from '../../core/services/health/cached-for.js';
import { readOverview } from '../../core/services/overview/overview.js';
import type { LegEnds } from '../../core/ports/leg-ends.js';
import type { SipEdge } from '../../core/ports/sip/edge.js';
import { Closers } from '../../core/services/runtime/closers.js';
import { WidgetGate } from '../../core/services/widgets/gate.js';
import { createApp } from '../../api/server/app.js';
import type { ApiObserver } from '../../api/http/deps.js';
import { Lifecycle } from '../../api/http/lifecycle.js';
import { tidySpool } from '../../api/http/spool.js';
import { ApiMetrics } from '../../api/http/metrics.js';
import { plainHttp } from '../../api/server/plain-http.js';
import { startServer, type RunningServer, type ServerOptions } from '../../api/server/server.js';
import type { Route } from '../../api/http/route.js';
import { acmeRouter } from '../../api/routes/platform/acme.js';
import { docsRouter } from '../../api/routes/platform/docs.js';
import { freeswitchRouter } from '../../api/routes/platform/freeswitch.js';
import { guideRouter } from '../../api/routes/platform/guide.js';
import { frontRouter } from '../../api/routes/platform/front.js';
import { healthLook, probeRouter } from '../../api/routes/platform/health.js';
import { phoneRouter } from '../../api/routes/web-calling/phone.js';
import { webPackageRouter } from '../../api/routes/web-calling/package.js';
import { webSocketRouter } from '../../api/routes/web-calling/web-socket.js';
import { chatSocketRouter } from '../../api/routes/widgets/chat-socket.js';
import { widgetPages } from '../../api/routes/widgets/widget-pages.js';
import type { WidgetDemo } from '../../api/pages/widget.js';
import { openAdministration } from '../wiring/administration.js';
import { environmentFlags } from '../wiring/flags.js';
import { httpTls } from './http-tls.js';
import { freeswitchAnswers } from '../engines/freeswitch-answers.js';
import type { PlatformMetrics } from '../metrics/metrics.js';
import { registerWebCalling } from '../metrics/web-calling-metrics.js';
import { deadOwner, PROCESS } from '../engines/owner-name.js';
import { addressOf, listening, type ListeningSettings } from '../install/listening.js';
import { namesOf, type Parts } from '../install/parts.js';
import { runningElsewhere } from '../install/running.js';
import { sipSecurity } from '../install/engine-settings.js';
import { phoneServer } from '../install/phone-server.js';
import { bootstrapFile, spoolFolder } from '../install/places.js';
import { VERSION } from '../install/version.js';
import { readGuide } from '../guide/read-guide.js';
import { phoneFiles, webPackage, widgetChat, widgetScript } from './built-files.js';
import { openRoutes } from './routes/index.js';
import type { RouteOptions } from './routes/options.js';
import { DESCRIPTORS } from '../engines/kinds/index.js';
import { openChatSockets, registerChatSockets } from './routes/chats.js';
import { openBrowserSockets } from './routes/web-calling.js';

/** How long running requests may take at a stop. */
const REQUEST_GRACE_MS = 5_000;
/** The front page reads the database at most this often. */
const OVERVIEW_FRESH_MS = 1_000;
const MINUTE_SECONDS = 60;

export interface ApiRoleOptions extends RouteOptions {
  readonly parts: Parts;
  readonly legEnds: LegEnds;
  readonly metrics: PlatformMetrics;
  readonly sipEdge: SipEdge;
  readonly observer?: ApiObserver;
}

export interface ApiRole {
  readonly url: string;
  readonly routes: readonly Route[];
  /** Enables the page for trying the click-to-call widget. */
  showDemo(demo: WidgetDemo | null): void;
  /** Sets readiness to false at once and finishes running requests; a repeated call waits for the first one. */
  stop(): Promise<void>;
}

export async function startApiRole(options: ApiRoleOptions): Promise<ApiRole> {
  const { settings, parts, stores, cipher, redis, metrics, clock, log } = options;
  const lifecycle = new Lifecycle();
  let url = settings.PUBLIC_URL?.replace(/\/+$/, '') ?? '';
  const publicUrl = (): string => url;
  const rateLimiter = new RedisRateLimiter(redis, log, clock);
  const closers = new Closers();
  const accessTokens = new AccessTokens({ sessions: stores.sessions, projects: stores.projects, clock, logger: log });
  const authenticator = new Authenticator({ store: stores.keys, clock, logger: log });
  const directories = new ScimGate({ tokens: new ScimTokens(stores.db), clock, logger: log });
  const clearCaches = (): void => {
    authenticator.clearCache();
    accessTokens.clearCache();
    directories.clearCache();
  };
  // The main number of a project, for example, changes with the numbers that are assigned to it.
  closers.add(stores.caches.add(clearCaches));
  const administration = openAdministration({ db: stores.db, cipher, rateLimiter, clock });
  const visitorChats = options.messaging.chats.forVisitors(rateLimiter);
  const following = options.messaging.chats.openFollowing();
  closers.add(() => following.stop());
  const { routes, stop: stopRoutes } = openRoutes(options, {
    rateLimiter,
    visitorChats,
    following,
    accessTokens,
    publicUrl,
    administration,
    clearCaches,
  });
  closers.add(stopRoutes);
  const addressLimiter = new MemoryRateLimiter(clock);
  const audit = new AuditLog(stores.db, clock, log);
  closers.add(() => audit.close());
  const { registry } = metrics;
  const sockets = openBrowserSockets(options, rateLimiter);
  const chatSockets = openChatSockets(options, visitorChats, rateLimiter);
  lifecycle.signal.addEventListener('abort', () => void Promise.all([sockets.close(), chatSockets.close()]));
  registerWebCalling({
    registry,
    sockets: () => sockets.count,
    sessions: () => stores.webSessions.open(clock.now()),
    relays: () => options.ice.relays(),
  });
  registerChatSockets(registry, chatSockets);
  const guide = await readGuide();
  const [browserPackage, phone] = await Promise.all([webPackage(), phoneFiles()]);
  let demo: WidgetDemo | null = null;
  const ownMetricsPort = settings.METRICS_PORT;
  const commands = commandsFor(settings.HATIF_COMMAND_PREFIX);
  const certificates = new AcmeCertificates(stores.db);
  const challenges = acmeRouter({ answer: (token) => certificates.challenge(token, clock.now()) });
  const widgets = new WidgetGate({ ...stores, clock });
  const flags = environmentFlags(settings);
  const app = createApp({
    routes,
    routers: [
      ...(settings.ACME_DOMAINS.length === 0 ? [] : [challenges]),
      frontRouter({
        health: healthLook({ version: VERSION, checks: options.checks }),
        overview: cachedFor(OVERVIEW_FRESH_MS, () => readOverview({ ...stores, rows: new OverviewRows(stores.db) })),
        place: () => ({
          parts: namesOf(parts.embedded),
          sip: phoneServer(settings, parts),
          bootstrapFile: existsSync(bootstrapFile(settings)) ? bootstrapFile(settings) : null,
          hasWidgetDemo: demo !== null,
          servesMetrics: ownMetricsPort === undefined,
        }),
        commands,
        publicUrl,
      }),
      docsRouter({ routes, publicUrl }),
      ...(guide === null ? [] : [guideRouter(guide, publicUrl)]),
      widgetPages({ script: await widgetScript(), chat: await widgetChat(), demo: () => demo, publicUrl }),
      ...(browserPackage === null ? [] : [webPackageRouter(browserPackage)]),
      ...(phone === null ? [] : [phoneRouter(phone, publicUrl)]),
      freeswitchRouter({
        identify: freeswitchAnswers({
          ...{ stores, cipher, legEnds: options.legEnds, edge: options.sipEdge, log },
          trunkProbeSeconds: settings.TRUNK_PROBE_SECONDS,
          phonesNeedTls: sipSecurity(settings).phonesNeedTls,
          codecs: DESCRIPTORS.freeswitch.codecs(settings.CODECS),
        }),
        addressLimiter,
        refusedPerMinute: settings.RATE_LIMIT_ADDRESS_PER_MINUTE,
      }),
      chatSocketRouter({ sockets: chatSockets, widgets, flags, publicUrl }),
      webSocketRouter({ sockets, publicUrl, allowedOrigins: settings.API_ALLOWED_ORIGINS }),
      probeRouter({ lifecycle, checks: options.checks, ...(ownMetricsPort === undefined ? { registry } : {}) }),
    ],
    authenticator,
    accessTokens,
    administrators: new AdministratorGate({ tokens: administration.tokens, keys: authenticator, clock, logger: log }),
    directories,
    widgets,
    allowedOrigins: settings.API_ALLOWED_ORIGINS,
    rateLimiter,
    addressLimiter,
    limits: {
      sandboxPerMinute: settings.RATE_LIMIT_SANDBOX_PER_MINUTE,
      livePerMinute: settings.RATE_LIMIT_LIVE_PER_MINUTE,
      userPerMinute: settings.RATE_LIMIT_USER_PER_MINUTE,
      addressPerMinute: settings.RATE_LIMIT_ADDRESS_PER_MINUTE,
      widgetPerMinute: settings.RATE_LIMIT_WIDGET_PER_MINUTE,
    },
    spool: spoolFolder(settings),
    idempotency: new Idempotency({
      db: stores.db,
      cipher,
      clock,
      logger: log,
      processes: { own: PROCESS, isDead: (name) => name !== PROCESS && deadOwner(name) !== null },
    }),
    audit,
    customerNumbers: new CustomerNumbers(stores.calls),
    cipher,
    clock,
    logger: log,
    metrics: new ApiMetrics(registry),
    lifecycle,
    flags,
    publicUrl,
    trustProxy: settings.TRUST_PROXY,
    ...(options.observer === undefined ? {} : { observer: options.observer }),
  });
  await tidySpool(spoolFolder(settings)).catch((error: unknown) => log.warn({ err: error }, 'failed to tidy uploads'));
  const { HOST: host, PORT: port } = settings;
  const running = runningElsewhere(settings.HATIF_DATA_DIR)?.process.pid ?? null;
  const listen = async (
    named: ListeningSettings['port'],
    served: Express,
    options: Pick<ServerOptions, 'lifecycle' | 'tls'>,
  ): Promise<RunningServer> => {
    const server = await listening({ HOST: host, port: named, running }, () =>
      startServer(served, { host, port: named.value, publicUrl, ...options }),
    ).catch(async (error: unknown) => {
      await closers.close();
      throw error;
    });
    closers.add(() => server.close(REQUEST_GRACE_MS));
    return server;
  };
  const server = await listen({ name: 'PORT', value: port }, app, { lifecycle, ...httpTls(settings, log) });
  url ||= addressOf(host, server.port);
  const { ACME_HTTP_PORT: plainPort } = settings;
  if (settings.ACME_DOMAINS.length > 0 && plainPort !== undefined) {
    const { RATE_LIMIT_ADDRESS_PER_MINUTE: perMinute } = settings;
    const admits = (address: string): boolean => addressLimiter.takeNow(address, perMinute, MINUTE_SECONDS).allowed;
    const plain = plainHttp({ routers: [challenges], publicUrl: url, admits, logger: log });
    await listen({ name: 'ACME_HTTP_PORT', value: plainPort }, plain, { lifecycle: new Lifecycle() });
  }
  return {
    url,
    routes,
    showDemo: (shown) => void (demo = shown),
    stop: () => closers.close(),
  };
}
