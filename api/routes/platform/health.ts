import { Router, type Request, type Response } from 'express';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import { within } from '../../../core/ports/clock.js';
import { cachedFor } from '../../../core/services/health/cached-for.js';
import type { Lifecycle } from '../../http/lifecycle.js';
import { route, type Route } from '../../http/route.js';

const PART = ['up', 'down', 'off'] as const;
/** `off`: this process or installation runs without the part. */
export type PartStatus = (typeof PART)[number];

const engine = z.strictObject({ id: z.string(), kind: z.string(), status: z.enum(['up', 'unreachable']) });
export type EngineHealth = Readonly<z.infer<typeof engine>>;

const trunk = z.strictObject({ id: z.string(), status: z.enum(['up', 'down', 'unknown']) });
export type TrunkHealth = Readonly<z.infer<typeof trunk>>;

const health = z
  .strictObject({
    status: z.enum(['ok', 'degraded', 'down']),
    service: z.literal('hatif'),
    version: z.string(),
    checks: z.strictObject({
      database: z.enum(PART),
      redis: z.enum(PART),
      engines: z.array(engine),
      trunks: z.array(trunk),
      sip: z.enum(PART),
      turn: z.enum(PART),
      certificate: z.enum(PART),
    }),
  })
  .meta({ id: 'Health' });
export type Health = Readonly<z.infer<typeof health>>;

/** Looks at the parts. A check that rejects, or takes longer than two seconds, counts as down. */
export interface HealthChecks {
  database(): Promise<PartStatus>;
  redis(): Promise<PartStatus>;
  engines(): Promise<readonly EngineHealth[]>;
  /** The trunks that are probed. */
  trunks(): Promise<readonly TrunkHealth[]>;
  sip(): Promise<PartStatus>;
  /** The TURN servers of browsers: `down` if none of them answers. */
  turn(): Promise<PartStatus>;
  /** That from an authority: `down` if it is missing, has expired, or will because its renewal fails. */
  certificate(): Promise<PartStatus>;
}

export interface HealthOptions {
  readonly version: string;
  readonly checks: HealthChecks;
}

const DOWN: Health = {
  status: 'down',
  service: 'hatif',
  version: '0.1.0',
  checks: { database: 'down', redis: 'up', engines: [], trunks: [], sip: 'up', turn: 'off', certificate: 'off' },
};

const PATIENCE_MS = 2_000;
/** The route is public; the parts are checked at most once a second. */
const FRESH_MS = 1_000;

/**
 * `GET /v1/health`. Down without the database; degraded while another part is missing: live calls continue, and
 * everything that does not need the part works. Only a TURN server changes nothing: most browsers need none.
 */
export function healthRoute(options: HealthOptions): Route {
  const look = healthLook(options);
  return route({
    method: 'GET',
    path: '/v1/health',
    operationId: 'getHealth',
    summary: 'Get the health of the service',
    summaryAr: 'حالة الخدمة وأجزائها',
    description: 'Requires no key. Answers 503 with the same body if the service is down.',
    tag: 'Service',
    scope: null,
    keyKind: 'none',
    responses: {
      200: { schema: health, description: 'The service is up, possibly degraded' },
      503: { schema: health, description: 'The service is down', example: DOWN },
    },
    errors: [],
    handler: async () => {
      const found = await look();
      return found.status === 'down' ? { status: 503, body: found } : { status: 200, body: found };
    },
  });
}

/** Examines the parts, at most once a second. */
export function healthLook(options: HealthOptions): () => Promise<Health> {
  return cachedFor(FRESH_MS, () => examine(options));
}

export interface ProbeOptions {
  readonly lifecycle: Lifecycle;
  readonly checks: Pick<HealthChecks, 'database'>;
  /** Left out where the metrics have a port of their own. */
  readonly registry?: Registry;
}

/** `/livez`, `/readyz` and `/metrics`: for orchestrators and scrapers. No key, no envelope. */
export function probeRouter({ lifecycle, checks, registry }: ProbeOptions): Router {
  const database = cachedFor(FRESH_MS, () => inTime(checks.database(), 'down'));
  const router = Router();
  router.get('/livez', (_req: Request, res: Response) => {
    res.type('text/plain').send('ok\n');
  });
  router.get('/readyz', async (_req: Request, res: Response) => {
    const reason = lifecycle.draining ? 'draining' : (await database()) === 'down' ? 'database down' : null;
    res
      .status(reason === null ? 200 : 503)
      .type('text/plain')
      .send(`${reason ?? 'ok'}\n`);
  });
  if (registry) router.use(metricsRouter(registry));
  return router;
}

/** `/metrics` in Prometheus' text format. */
export function metricsRouter(registry: Registry): Router {
  const router = Router();
  router.get('/metrics', async (_req: Request, res: Response) => {
    res.setHeader('Content-Type', registry.contentType);
    res.send(await registry.metrics());
  });
  return router;
}

async function examine({ version, checks }: HealthOptions): Promise<Health> {
  const [database, redis, engines, trunks, sip, turn, certificate] = await Promise.all([
    inTime(checks.database(), 'down'),
    inTime(checks.redis(), 'down'),
    inTime<readonly EngineHealth[] | null>(checks.engines(), null),
    inTime<readonly TrunkHealth[]>(checks.trunks(), []),
    inTime(checks.sip(), 'down'),
    inTime(checks.turn(), 'down'),
    inTime(checks.certificate(), 'down'),
  ]);
  const hasEngines = engines?.every(({ status }) => status === 'up') === true;
  const isWhole =
    [redis, sip, certificate].every((part) => part !== 'down') &&
    hasEngines &&
    !trunks.some(({ status }) => status === 'down');
  return {
    status: database === 'down' ? 'down' : isWhole ? 'ok' : 'degraded',
    service: 'hatif',
    version,
    checks: { database, redis, engines: [...(engines ?? [])], trunks: [...trunks], sip, turn, certificate },
  };
}

function inTime<T>(check: Promise<T>, otherwise: T): Promise<T> {
  return within(PATIENCE_MS, check).catch(() => otherwise);
}
