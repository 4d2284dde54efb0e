/**
 * Measures webhook deliveries per second to the same receiver: by the platform's worker (signed, guarded against SSRF,
 * in order within each call, every attempt logged in PostgreSQL) and by a bare BullMQ and undici loop. Each empties a
 * backlog of the same messages; they take turns, and the median round counts.
 */
import { randomBytes } from 'node:crypto';
import { Database } from '../core/data/database.js';
import { migrateUp } from '../core/data/schema/migrate.js';
import { Cipher } from '../core/model/access/cipher.js';
import { newId } from '../core/model/ids.js';
import { newSigningSecret } from '../core/services/webhooks/secret.js';
import { Child } from './lib/child.js';
import { CpuMeter } from './lib/cpu.js';
import type { TestBed } from './lib/test-bed.js';
import { median } from './lib/median.js';
import type { Row } from './lib/table.js';

const ROUNDS = 5;
const CALLS = 1250;
/** Initiated, ringing, answered, ended. */
const EVENTS_PER_CALL = 4;
const MESSAGES = CALLS * EVENTS_PER_CALL;

/** The part of {@link TestBed} that this benchmark needs. */
export interface WebhookParts {
  readonly parts: { readonly [Name in 'postgres' | 'redis']: Pick<TestBed['parts'][Name], 'url' | 'pid'> };
}

interface Contender {
  readonly name: string;
  readonly pid: number;
  /** Creates the backlog. */
  fill(): Promise<void>;
  /** Starts to empty the backlog. @returns the time of the start */
  begin(): Promise<number>;
}

export async function run({ parts }: WebhookParts): Promise<Row[]> {
  const receiver = await Child.start('webhooks/receiver.ts', {});
  const url = `http://127.0.0.1:${Number(receiver.ready.port)}/`;
  const bench = await openBacklog(parts.postgres.url, url);
  const environment = { BENCH_DATABASE: bench.databaseUrl, BENCH_REDIS: parts.redis.url, BENCH_SECRET: bench.secret };
  const ours = await Child.start('webhooks/ours.ts', environment);
  const bare = await Child.start('webhooks/bare.ts', environment);
  const body = await bench.sampleBody();
  const contenders: Readonly<Record<'hatif' | 'bare', Contender>> = {
    hatif: {
      name: 'Hatif',
      pid: ours.pid,
      fill: () => bench.fill(),
      begin: async () => Number((await ours.ask({ lane: bench.lane })).atMs),
    },
    bare: {
      name: 'BullMQ + undici',
      pid: bare.pid,
      fill: async () => {
        await bare.ask({ fill: Array.from({ length: MESSAGES }, () => ({ url, body })) });
      },
      begin: async () => Number((await bare.ask({})).atMs),
    },
  };
  const rates: Record<'hatif' | 'bare', number[]> = { hatif: [], bare: [] };
  try {
    // The first round only warms up both.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const key of ['hatif', 'bare'] as const) {
        const contender = contenders[key];
        const { name, pid } = contender;
        await contender.fill();
        const meter = new CpuMeter({ worker: pid, PostgreSQL: parts.postgres.pid, Redis: parts.redis.pid });
        const done = receiver.ask({ count: MESSAGES });
        const startedAtMs = await contender.begin();
        const rate = (MESSAGES * 1000) / (Number((await done).atMs) - startedAtMs);
        if (key === 'hatif') await bench.settled();
        const cpu = Object.entries(meter.read()).map(([part, ms]) => `${part} ${(ms / MESSAGES).toFixed(2)}`);
        if (round > 0) rates[key].push(rate);
        const label = round === 0 ? ' (warm-up)' : '';
        console.log(`  ${name}: ${rate.toFixed(0)}/s${label}; CPU ms per message: ${cpu.join(', ')}`);
      }
    }
  } finally {
    await Promise.all([ours, bare, receiver].map((child) => child.stop()));
    await bench.close();
  }
  return [
    {
      what: 'webhooks delivered, signed, in order, logged  vs  bare BullMQ + undici',
      ours: median(rates.hatif),
      baseline: median(rates.bare),
      unit: 'deliveries/s',
      goal: { ratio: 0.9, better: 'higher' },
    },
  ];
}

/** Creates a database with one project and one endpoint, which can be filled with a backlog of whole calls. */
async function openBacklog(postgresUrl: string, receiverUrl: string) {
  const admin = Database.open(postgresUrl, { poolSize: 1 });
  const name = `bench_webhooks_${randomBytes(4).toString('hex')}`;
  await admin.query(`CREATE DATABASE ${name}`);
  const databaseUrl = new URL(postgresUrl);
  databaseUrl.pathname = `/${name}`;
  await migrateUp(databaseUrl.href);
  const db = Database.open(databaseUrl.href, { statementTimeoutMs: 60_000 });
  const secret = randomBytes(32).toString('hex');
  const sealed = new Cipher(secret).seal(newSigningSecret());
  const [organization, project, engine, lane] = [newId(), newId(), newId(), newId()];
  await db.query(`INSERT INTO organizations (id, name, account_kind) VALUES ($1, 'Bench', 'production')`, [
    organization,
  ]);
  await db.query(`INSERT INTO projects (id, organization_id, name, signing_secret) VALUES ($1, $2, 'Bench', $3)`, [
    project,
    organization,
    sealed,
  ]);
  await db.query(`INSERT INTO engines (id, name, kind) VALUES ($1, 'bench', 'asterisk')`, [engine]);
  await db.query(
    `INSERT INTO webhook_endpoints (id, project_id, url, events, secret, status)
     VALUES ($1, $2, $3, '{*}', $4, 'enabled')`,
    [lane, project, receiverUrl, sealed],
  );
  return {
    databaseUrl: databaseUrl.href,
    secret,
    lane,
    async fill(): Promise<void> {
      await db.query(FILL, [CALLS, EVENTS_PER_CALL, organization, project, engine, lane]);
      await db.query('ANALYZE events, webhook_deliveries');
    },
    /** Waits until all deliveries are recorded. @throws Error if they are not within about 10 seconds */
    async settled(): Promise<void> {
      for (let polls = 0; polls < 500; polls += 1) {
        const [left] = await db.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM webhook_deliveries WHERE status <> 'delivered'`,
        );
        if (left?.count === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error('not all deliveries were recorded');
    },
    async sampleBody(): Promise<string> {
      const [sample] = await db.query<{ data: object }>(
        `SELECT ${DATA} AS data FROM generate_series(1, 1) AS call (id)`,
      );
      return JSON.stringify({ type: 'call.answered', timestamp: new Date().toISOString(), data: sample?.data });
    },
    async close(): Promise<void> {
      await db.close();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.close();
    },
  };
}

/** As large as a call in a webhook. */
const DATA = `jsonb_build_object(
  'call_id', call.id, 'kind', 'outbound', 'direction', 'outbound', 'status', 'answered',
  'customer_number_masked', '+96650••••17', 'line_number', '+966112345678', 'queue_id', null, 'agent', null,
  'callflow_id', null, 'conference_id', null, 'sandbox', false, 'on_hold', false, 'muted', false,
  'legs', jsonb_build_array(
    jsonb_build_object('leg', 'customer', 'status', 'answered', 'on_hold', false, 'muted', false)),
  'recording', false, 'recording_available', false, 'disposition', null, 'hangup_cause', null, 'queued_seconds', null,
  'duration_seconds', null, 'metadata', jsonb_build_object('order', '42'), 'created_at', now(), 'ringing_at', now(),
  'answered_at', now(), 'ended_at', null, 'served_queue_id', null, 'sequence', 1)`;

const FILL = `
  WITH call AS (
    INSERT INTO calls (id, organization_id, project_id, engine_id, epoch, sandbox, kind, direction, status,
      customer_number, on_hold, muted, recording, recording_available, metadata, program, options, last_sequence,
      created_at)
    SELECT uuid_v7(), $3, $4, $5, 1, false, 'outbound', 'outbound', 'ended',
      '+966501234517', false, false, false, false, '{}', '{}', '{}', $2, now()
    FROM generate_series(1, $1::int)
    RETURNING id
  ), event AS (
    INSERT INTO events (id, organization_id, project_id, call_id, sequence, type, data, sandbox, created_at)
    SELECT uuid_v7(), $3, $4, call.id, sequence, 'call.answered', ${DATA}, false, now()
    FROM call CROSS JOIN generate_series(1, $2::int) AS sequence
    RETURNING id, call_id, sequence
  )
  INSERT INTO webhook_deliveries (id, event_id, endpoint_id, lane, project_id, call_id, sequence, next_attempt_at)
  SELECT uuid_v7(), event.id, $6::uuid, $6::uuid::text, $4, event.call_id, event.sequence, now() FROM event`;
