import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Router } from 'express';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { createApp } from '../../api/server/app.js';
import type { ApiDeps, ApiLimits } from '../../api/http/deps.js';
import { Lifecycle } from '../../api/http/lifecycle.js';
import { createLogger } from '../../api/http/logging.js';
import { ApiMetrics } from '../../api/http/metrics.js';
import type { Route } from '../../api/http/route.js';
import { startServer, type RunningServer, type ServerTimeouts } from '../../api/server/server.js';
import type { Database } from '../../core/data/database.js';
import { Sessions } from '../../core/data/repositories/accounts/sessions.js';
import { Keys } from '../../core/data/repositories/accounts/keys.js';
import { Calls } from '../../core/data/repositories/calls/calls.js';
import { Organizations } from '../../core/data/repositories/accounts/organizations.js';
import { Projects } from '../../core/data/repositories/accounts/projects.js';
import { Agents } from '../../core/data/repositories/accounts/agents.js';
import { Queues } from '../../core/data/repositories/queues/queues.js';
import { Widgets } from '../../core/data/repositories/accounts/widgets.js';
import type { WidgetRow } from '../../core/data/rows.js';
import { Cipher } from '../../core/model/access/cipher.js';
import { FLAG_DEFAULTS } from '../../core/model/flags.js';
import { newId } from '../../core/model/ids.js';
import { systemClock, type Clock } from '../../core/ports/clock.js';
import { newOrganizationRow, newProjectRow } from '../../core/services/accounts/new-account.js';
import { AccessTokens } from '../../core/services/access/access-tokens.js';
import { AdministratorTokens } from '../../core/data/repositories/accounts/administrator-tokens.js';
import { AdministratorGate } from '../../core/services/administration/authenticate.js';
import { AuditLog } from '../../core/services/access/audit.js';
import { Authenticator } from '../../core/services/access/authenticate.js';
import { Idempotency } from '../../core/services/access/idempotency.js';
import { CustomerNumbers } from '../../core/services/calls/customer-numbers.js';
import { KeyService, type KeyView, type NewKey } from '../../core/services/access/keys.js';
import { MemoryRateLimiter, RedisRateLimiter, type RateLimiter } from '../../core/services/access/rate-limit.js';
import { ScimTokens } from '../../core/data/repositories/scim/tokens.js';
import { ScimGate } from '../../core/services/scim/gate.js';
import { WidgetGate } from '../../core/services/widgets/gate.js';
import {
  DEFAULT_REACH,
  DEFAULT_THEME,
  WidgetService,
  type WidgetOwner,
  type WidgetSettings,
} from '../../core/services/widgets/manage.js';
import { noteProduced } from './judges/error-coverage.js';
import { addMember } from './rows/members.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: Record<string, unknown> | undefined;
}

export interface RequestOptions {
  readonly key?: string;
  readonly json?: unknown;
  /** A body that is sent unchanged, in place of `json`. */
  readonly raw?: string | FormData | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without an answer by then, the request fails. */
  readonly timeoutMs?: number;
  /** The answer is the redirect itself, not what it leads to. */
  readonly redirect?: 'manual';
}

export interface Owner {
  readonly organizationId: string;
  readonly projectId: string;
}

export interface TestApiOptions {
  readonly db: Database;
  readonly routes: readonly Route[];
  readonly routers?: readonly Router[];
  /** Without it, this process counts the rate limits. */
  readonly redis?: Redis;
  readonly limits?: Partial<ApiLimits>;
  readonly clock?: Clock;
  /** Default: new ones. */
  readonly accessTokens?: AccessTokens;
  /** Default: a new one, with a cache of a moment. */
  readonly directories?: ScimGate;
  /** Proxies in front of the API whose headers are trusted. */
  readonly trustProxy?: readonly string[];
  readonly cipher?: Cipher;
  readonly lifecycle?: Lifecycle;
  readonly timeouts?: Partial<ServerTimeouts>;
  readonly abandonedAfterMs?: number;
  /** Folder for uploaded files while they are served. */
  readonly spool?: string;
  readonly registry?: Registry;
  /** Origins of pages that may use API keys. */
  readonly allowedOrigins?: readonly string[];
  /** The address that the app sends to clients; set once the server listens. */
  readonly publicUrl?: { value: string };
}

/** The real app on a real port with a database, and a client for it. */
export interface TestApi {
  readonly url: string;
  readonly port: number;
  readonly server: RunningServer;
  readonly lifecycle: Lifecycle;
  readonly audit: AuditLog;
  readonly authenticator: Authenticator;
  /** Every line of the log. */
  readonly log: readonly string[];
  /** `CODE METHOD /path` of every error that a route returned. */
  readonly produced: ReadonlySet<string>;
  /** Faults of the route definitions: undeclared codes, responses that do not match their schema. Tests expect none. */
  readonly faults: readonly string[];
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** A new organization with one project. */
  owner(flags?: Readonly<Record<string, boolean>>): Promise<Owner>;
  /** A new live key with every scope but `pii:read`, and a limit that no test reaches; of a new project unless one is given. */
  key(wanted?: Partial<NewKey>): Promise<{ readonly key: string; readonly view: KeyView }>;
  /** The access token of a new owner of the organization. */
  session(organizationId: string): Promise<string>;
  /** A new widget for pages of {@link PAGE}; of a new project unless one is given. */
  widget(wanted?: Partial<WidgetSettings & WidgetOwner>): Promise<WidgetRow>;
  close(): Promise<void>;
}

/** The origin of pages that carry a test's widget. */
export const PAGE = 'https://shop.example';

export async function testApi(options: TestApiOptions): Promise<TestApi> {
  const { db, clock = systemClock, cipher = new Cipher('a secret for tests, thirty-two characters') } = options;
  const log: string[] = [];
  const produced = new Set<string>();
  const faults: string[] = [];
  const logger = createLogger({ level: 'debug', destination: { write: (line: string) => void log.push(line) } });
  const lifecycle = options.lifecycle ?? new Lifecycle();
  const publicUrl = options.publicUrl ?? { value: '' };
  const keys = new Keys(db);
  const audit = new AuditLog(db, clock, logger);
  const authenticator = new Authenticator({ store: keys, clock, logger });
  const accessTokens =
    options.accessTokens ?? new AccessTokens({ sessions: new Sessions(db), projects: new Projects(db), clock, logger });
  const widgets = new Widgets(db);
  const gate = new WidgetGate({
    widgets,
    projects: new Projects(db),
    organizations: new Organizations(db),
    clock,
    cacheMs: 1,
  });
  const rateLimiter: RateLimiter = options.redis
    ? new RedisRateLimiter(options.redis, logger, clock, `hatif-test:${newId()}:`)
    : new MemoryRateLimiter(clock);
  const deps: ApiDeps = {
    routes: options.routes,
    routers: options.routers ?? [],
    authenticator,
    accessTokens,
    directories: options.directories ?? new ScimGate({ tokens: new ScimTokens(db), clock, logger, cacheMs: 1 }),
    administrators: new AdministratorGate({ tokens: new AdministratorTokens(db), keys: authenticator, clock, logger }),
    widgets: gate,
    allowedOrigins: options.allowedOrigins ?? [],
    rateLimiter,
    addressLimiter: new MemoryRateLimiter(clock),
    limits: {
      sandboxPerMinute: 60,
      livePerMinute: 600,
      userPerMinute: 600,
      addressPerMinute: 100_000,
      widgetPerMinute: 100_000,
      ...options.limits,
    },
    idempotency: new Idempotency({ db, cipher, clock, logger, abandonedAfterMs: options.abandonedAfterMs ?? 120_000 }),
    spool: options.spool ?? join(tmpdir(), 'hatif-test-spool'),
    audit,
    customerNumbers: new CustomerNumbers(new Calls(db)),
    cipher,
    clock,
    logger,
    metrics: new ApiMetrics(options.registry ?? new Registry()),
    lifecycle,
    flags: FLAG_DEFAULTS,
    publicUrl: () => publicUrl.value,
    trustProxy: options.trustProxy ?? [],
    observer: {
      errorProduced: (code, route) => {
        produced.add(`${code} ${route.method} ${route.path}`);
        noteProduced(code, route);
      },
      undeclaredError: (error, route) =>
        void faults.push(
          `${route.method} ${route.path} answered ${error.code}, which it does not declare: ${error.message}`,
        ),
      responseMismatch: (route, status, problem) =>
        void faults.push(
          `${route.method} ${route.path} answered ${status}, which does not match its schema: ${problem}`,
        ),
    },
  };
  const server = await startServer(createApp(deps), {
    host: '127.0.0.1',
    port: 0,
    lifecycle,
    publicUrl: () => publicUrl.value,
    ...(options.timeouts && { timeouts: options.timeouts }),
  });
  const url = `http://127.0.0.1:${server.port}`;
  publicUrl.value = url;
  const service = new KeyService({
    keys,
    projects: new Projects(db),
    clock,
    onRevoked: () => authenticator.clearCache(),
  });
  const widgetService = new WidgetService({ widgets, agents: new Agents(db), queues: new Queues(db), clock });
  const owner = (flags: Readonly<Record<string, boolean>> = {}) => newOwner(db, cipher, flags);
  return {
    url,
    port: server.port,
    server,
    lifecycle,
    audit,
    authenticator,
    log,
    produced,
    faults,
    request: (method, path, request) => ask(url, method, path, request),
    owner,
    async key(wanted = {}) {
      const projectId = wanted.projectId ?? (await owner()).projectId;
      return service.create({ name: 'Test', kind: 'live', rateLimitPerMinute: 100_000, ...wanted, projectId });
    },
    session: async (organizationId) => (await addMember(db, organizationId)).token,
    async widget(wanted = {}) {
      const owned = wanted.projectId === undefined ? await owner() : null;
      const {
        projectId = owned?.projectId ?? '',
        organizationId = owned?.organizationId ?? '',
        sandbox = false,
        ...said
      } = wanted;
      const usual = {
        ...DEFAULT_REACH,
        name: 'Shop',
        allowed_origins: [PAGE],
        destination: null,
        language: 'ar',
        theme: DEFAULT_THEME,
      } as const;
      const settings = { ...usual, otp: false, captcha: false, browser_calls: false, chat: false, ...said };
      return widgetService.create({ projectId, organizationId, sandbox }, settings);
    },
    async close() {
      await server.close(0);
      await audit.close();
    },
  };
}

/** A connection that fails at once while Redis is unavailable, like the application's. */
export function redisFor(url: string): Redis {
  return new Redis(url, { enableOfflineQueue: false, lazyConnect: true, maxRetriesPerRequest: 0 });
}

async function newOwner(db: Database, cipher: Cipher, flags: Readonly<Record<string, boolean>>): Promise<Owner> {
  const created_at = new Date();
  const organization = newOrganizationRow('Org', 'production', flags, created_at);
  const project = newProjectRow(organization.id, 'Project', cipher, created_at);
  await new Organizations(db).create(organization);
  await new Projects(db).create({
    ...project,
    main_number: '+966112345678',
    signing_secret: cipher.seal('whsec_test'),
    destination_classes: ['national', 'mobile'],
  });
  return { organizationId: organization.id, projectId: project.id };
}

export async function ask(url: string, method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
  const headers = new Headers(options.headers);
  // A test may compute or wait for as long as the server keeps an idle connection, which then closes under the request.
  headers.set('Connection', 'close');
  if (options.key !== undefined) headers.set('Authorization', `Bearer ${options.key}`);
  if (options.json !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
  const body = options.raw ?? (options.json === undefined ? null : JSON.stringify(options.json));
  const signal = options.timeoutMs === undefined ? null : AbortSignal.timeout(options.timeoutMs);
  const response = await fetch(url + path, { method, headers, body, signal, redirect: options.redirect ?? 'follow' });
  const text = isEventStream(response) ? await firstPart(response) : await response.text();
  return { status: response.status, headers: response.headers, text, body: asObject(text) };
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** What a stream without an end sends first; then the client leaves. */
async function firstPart({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value as Uint8Array | undefined);
}

function asObject(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
