import { deepStrictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import pg from 'pg';
import { request } from 'undici';
import { usage } from '../core/data/migrations/0016-usage.js';
import { usageCosts } from '../core/data/migrations/0052-usage-costs.js';
import { Usage } from '../core/data/repositories/billing/usage.js';
import { startApplication, type Application } from './lib/application.js';
import type { TestBed } from './lib/test-bed.js';
import { median } from './lib/median.js';
import type { Row } from './lib/table.js';

const CALLS = 5_000_000;
const DAYS = 31;
/** Midnight in Riyadh. */
const FROM = '2026-09-30T21:00:00.000Z';
const DAY_MS = 86_400_000;
const WARM_UP = 20;
const REQUESTS = 200;
/** Few: a run takes seconds. More than one: the first reads from the disk. */
const PLAIN_ROUNDS = 2;
const DATABASE = 'hatif_usage';
/** The indexes that these queries need; creating the others would only take time. */
const INDEXES = ['calls_project', 'calls_project_status', 'calls_unfinished'];

interface Period {
  readonly what: string;
  readonly groupBy: 'day' | 'hour';
  readonly to: Date;
  readonly goal?: Row['goal'];
}

const END_MS = Date.parse(FROM) + DAYS * DAY_MS;
const PERIODS: readonly Period[] = [
  { what: 'by day', groupBy: 'day', to: new Date(END_MS - 1), goal: { ratio: 100, better: 'higher' } },
  { what: 'by day, less its last second', groupBy: 'day', to: new Date(END_MS - 1001) },
  { what: 'by hour', groupBy: 'hour', to: new Date(END_MS - 1) },
];

/**
 * Measures how fast the API returns the usage of a month of five million calls, and how fast plain SQL returns the same
 * figures. Uses a separate database.
 */
export async function run(testBed: TestBed): Promise<Row[]> {
  const url = new URL(testBed.parts.postgres.url);
  const admin = await connect(url.href);
  url.pathname = `/${DATABASE}`;
  const environment = {
    DATABASE_URL: url.href,
    HATIF_DATA_DIR: join(testBed.folder, 'usage'),
  };
  let application: Application | null = null;
  try {
    await admin.query(`CREATE DATABASE ${DATABASE}`);
    // The first start creates the tables and the project. The application is stopped while the tables are filled.
    application = await startApplication(testBed, { environment });
    const { projectId } = application;
    await application.stop();
    application = null;
    await fill(url.href, projectId);
    application = await startApplication(testBed, { environment });
    const rows: Row[] = [];
    for (const period of PERIODS) rows.push(await compare(application, period));
    return rows;
  } finally {
    await application?.stop();
    await admin.query(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
    await admin.end();
  }
}

async function compare({ url, key, db, projectId }: Application, { what, groupBy, to, goal }: Period): Promise<Row> {
  const query = `from=${FROM}&to=${to.toISOString()}&group_by=${groupBy}`;
  const ask = async (): Promise<unknown> => {
    const response = await request(`${url}/v1/usage?${query}`, { headers: { authorization: `Bearer ${key}` } });
    const body = (await response.body.json()) as { readonly groups: unknown };
    if (response.statusCode !== 200)
      throw new Error(`${query} answered ${response.statusCode}: ${JSON.stringify(body)}`);
    return body.groups;
  };
  const plain = async (): Promise<unknown> => (await db.query<object>(plainSql(groupBy), [projectId, FROM, to])).rows;
  deepStrictEqual(await ask(), await plain(), 'both return the same figures');
  await timed(ask, WARM_UP);
  const ours = median(await timed(ask, REQUESTS)) ?? NaN;
  const theirs = Math.min(...(await timed(plain, PLAIN_ROUNDS)));
  console.log(`  ${what}: ${ours.toFixed(1)} ms, plain SQL ${theirs.toFixed(0)} ms`);
  return {
    what: `GET /v1/usage ${what}, ${DAYS} days of ${CALLS / 1e6} million calls  vs  plain SQL`,
    ours: 1000 / ours,
    baseline: 1000 / theirs,
    unit: 'answers/s, one client',
    ...(goal && { goal }),
  };
}

/** Runs the work repeatedly, one run after another. @returns the milliseconds of each run */
async function timed(work: () => Promise<unknown>, runs: number): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const startedMs = performance.now();
    await work();
    times.push(performance.now() - startedMs);
  }
  return times;
}

function plainSql(groupBy: 'day' | 'hour'): string {
  return `
    SELECT
      to_char(
        date_trunc('${groupBy}', created_at AT TIME ZONE 'Asia/Riyadh'), 'YYYY-MM-DD"T"HH24:MI:SS"+03:00"'
      ) AS key,
      count(*)::int AS total_calls,
      count(*) FILTER (WHERE status IN ('answered', 'ended'))::int AS calls_answered,
      count(*) FILTER (WHERE status = 'missed')::int AS calls_missed,
      round(sum(seconds) / 60, 2)::float8 AS total_minutes,
      round(coalesce(sum(amount) FILTER (WHERE NOT sandbox), 0) / 1000000, 2)::float8 AS estimated_cost_sar
    FROM (
      SELECT *, CASE WHEN status = 'ended' THEN round(extract(epoch FROM ended_at - answered_at)) ELSE 0 END AS seconds
      FROM calls
    ) AS called
    LEFT JOIN (SELECT call_id, amount FROM call_ratings) AS rating ON rating.call_id = called.id
    WHERE project_id = $1 AND created_at BETWEEN $2 AND $3
    GROUP BY date_trunc('${groupBy}', created_at AT TIME ZONE 'Asia/Riyadh')
    ORDER BY 1`;
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  // After an interruption the database stops first; queries still running report the error themselves.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/**
 * Inserts calls of every kind, spread over the period, two thirds of them answered, with callbacks of 20 queues. Then
 * runs the migrations that compute the usage of existing calls.
 */
async function fill(url: string, projectId: string): Promise<void> {
  const startedMs = performance.now();
  const logProgress = (what: string): void =>
    console.log(`  ${what} after ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  const clients = await Promise.all([connect(url), connect(url)]);
  try {
    for (const client of clients) {
      // Without foreign key checks and triggers: these rows are known to be valid.
      await client.query(
        `SET session_replication_role = replica; SET synchronous_commit = off;
         SET maintenance_work_mem = '512MB'`,
      );
    }
    const [first] = clients;
    const indexes = await first.query<{ name: string; definition: string }>(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
       WHERE tablename = 'calls' AND indexname <> 'calls_pkey'`,
    );
    for (const { name } of indexes.rows) await first.query(`DROP INDEX ${name}`);
    await Promise.all(
      clients.map((client, half) => client.query(insertSql(), [projectId, FROM, half, clients.length])),
    );
    logProgress(`${CALLS} calls`);
    for (const { name, definition } of indexes.rows) if (INDEXES.includes(name)) await first.query(definition);
    await first.query('ANALYZE calls');
    logProgress('their indexes');
    await first.query('DROP INDEX call_ratings_project, call_ratings_organization');
    await first.query(ratingsSql(), [projectId]);
    await first.query('ANALYZE call_ratings');
    logProgress('their ratings');
    const onClient = {
      scope: {},
      query: async <Row extends object>(sql: string, values?: readonly unknown[]) =>
        (await first.query<Row>(sql, values && [...values])).rows,
    };
    await usageCosts.down(onClient);
    await usage.down(onClient);
    await usage.up(onClient);
    await usageCosts.up(onClient);
    await new Usage(onClient).fold(1_000_000);
    await first.query('ANALYZE usage_rollups');
    logProgress('their rollups');
  } finally {
    for (const client of clients) await client.end();
  }
}

function insertSql(): string {
  return `
    INSERT INTO calls (id, organization_id, project_id, engine_id, epoch, sandbox, kind, direction, status,
      customer_number, line_number, queue_id, on_hold, muted, recording, recording_available, metadata,
      program, options, last_sequence, created_at, ringing_at, answered_at, ended_at)
    SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, project.organization_id, project.id,
      engine.id, 1, n % 50 = 0, made.kind, made.direction, made.status, '+966501234517', '+966115550100',
      CASE WHEN made.kind = 'callback' THEN ('00000000-0000-7000-8000-' || lpad((n % 20)::text, 12, '0'))::uuid END,
      false, false, false, false, '{"order": "42"}', '{"spec": {"type": "echo"}, "state": null}',
      '{"ring_timeout_seconds": 45, "max_duration_seconds": 14400, "record": false, "send_digits": null}',
      4, made.at, made.at,
      CASE WHEN made.status = 'ended' THEN made.at + interval '9 seconds' END,
      made.at + interval '9 seconds' + CASE WHEN made.status = 'ended' THEN n % 600 ELSE 0 END * interval '1 second'
    FROM projects AS project
    CROSS JOIN (SELECT id FROM engines ORDER BY id LIMIT 1) AS engine
    CROSS JOIN generate_series($3::bigint, ${CALLS} - 1, $4::bigint) AS n
    CROSS JOIN LATERAL (
      SELECT $2::timestamptz + n * (interval '${DAYS} days' / ${CALLS}) AS at,
        (ARRAY['outbound', 'inbound', 'callback'])[1 + n / 7 % 3] AS kind,
        (ARRAY['outbound', 'inbound', 'outbound'])[1 + n / 7 % 3] AS direction,
        (ARRAY['ended', 'ended', 'ended', 'ended', 'missed', 'failed'])[1 + n % 6] AS status
    ) AS made
    WHERE project.id = $1`;
}

/** Rates the calls by the minute, as a rate plan with 12 halalas for outbound and 3 for inbound minutes does. */
function ratingsSql(): string {
  return `
    INSERT INTO call_ratings (call_id, organization_id, project_id, day, amount, lines, rated_at)
    SELECT id, organization_id, project_id, (created_at AT TIME ZONE 'Asia/Riyadh')::date,
      ceil(extract(epoch FROM ended_at - answered_at) / 60) * CASE direction WHEN 'outbound' THEN 120000 ELSE 30000 END,
      '[]', ended_at
    FROM calls WHERE project_id = $1 AND status = 'ended' AND NOT sandbox`;
}
