/**
 * Measures messages per second of a broadcast at a window of ten: rated, submitted, charged, with its receipt and its
 * events stored; beside npm `smpp`, which submits as many to the same SMSC and stores nothing. And how many messages per
 * second the API accepts. Each takes turns with the others; the median round counts.
 */
import autocannon from 'autocannon';
import { randomBytes } from 'node:crypto';
import { Database } from '../core/data/database.js';
import { migrateUp } from '../core/data/schema/migrate.js';
import { newId } from '../core/model/ids.js';
import { startApplication } from './lib/application.js';
import { Child, profilingOptions } from './lib/child.js';
import { CpuMeter } from './lib/cpu.js';
import { median } from './lib/median.js';
import type { Row } from './lib/table.js';
import type { TestBed } from './lib/test-bed.js';

const ROUNDS = 3;
const MESSAGES = 10_000;
const WINDOW = 10;
const [CONNECTIONS, SECONDS] = [16, 5];
/** For all messages of a round, also on a machine that other work keeps busy. */
const ROUND_MS = 300_000;
/** What the authors of Jasmin, an SMS gateway, publish: https://docs.jasminsms.com, “15 to 50 by HTTP, 140 by SMPP”. */
const JASMIN = { http: 50, smpp: 140 };

export async function run(testBed: TestBed): Promise<Row[]> {
  const smsc = await Child.start('messages/smsc.ts', {});
  const { port, password } = smsc.ready as { readonly port: number; readonly password: string };
  const account = `smpp://hatif:${password}@127.0.0.1:${port}?window=${WINDOW}`;
  try {
    const { ours, bare } = await broadcasts(testBed, smsc, account, { port, password });
    const accepted = await acceptance(testBed, account);
    return [
      {
        what: `messages of a broadcast, window ${WINDOW}: rated, sent, receipt, events  vs  bare smpp`,
        ours,
        baseline: bare,
        unit: 'messages/s',
        goal: { ratio: 0.25, better: 'higher' },
      },
      { what: '    the same  vs  Jasmin’s published 140/s by SMPP', ours, baseline: JASMIN.smpp, unit: 'messages/s' },
      {
        what: 'POST /v1/messages, accepted  vs  Jasmin’s published 15-50/s by HTTP',
        ours: accepted,
        baseline: JASMIN.http,
        unit: 'messages/s',
      },
    ];
  } finally {
    await smsc.stop();
  }
}

async function broadcasts(
  { parts }: TestBed,
  smsc: Child,
  account: string,
  { port, password }: { readonly port: number; readonly password: string },
): Promise<{ readonly ours: number | null; readonly bare: number | null }> {
  const bench = await openProject(parts.postgres.url);
  const peer = { SMSC_PORT: String(port), SMSC_PASSWORD: password };
  const bare = await Child.start('messages/bare.ts', peer, ['--max-semi-space-size=64']);
  const rates: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  try {
    // The first round only warms up both.
    for (let round = 0; round <= ROUNDS; round++) {
      const first = await timed(bare, smsc, { worker: bare.pid });
      // Only the newest connection gets receipts: each contender has its own turn.
      const environment = {
        ...{ DATABASE_URL: bench.url, SMPP_URLS: account },
        ...{ BENCH_ORGANIZATION: bench.organizationId, BENCH_PROJECT: bench.projectId },
      };
      const options = ['--max-semi-space-size=64', ...profilingOptions()];
      const ours = await Child.start('messages/ours.ts', environment, options);
      const second = await timed(ours, smsc, { worker: ours.pid, PostgreSQL: parts.postgres.pid }, (id) =>
        bench.delivered(id),
      );
      await ours.stop();
      if (round === 0) continue;
      rates.bare.push(first);
      rates.ours.push(second);
    }
  } finally {
    await bare.stop();
    await bench.close();
  }
  return { ours: median(rates.ours), bare: median(rates.bare) };
}

/** Lets a contender send the messages. @param settled resolves when the outcome of all of them is stored */
async function timed(
  contender: Child,
  smsc: Child,
  processes: Readonly<Record<string, number>>,
  settled: (broadcastId: string) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  const meter = new CpuMeter(processes);
  const done = smsc.ask({ count: MESSAGES }, ROUND_MS);
  const { atMs, id } = await contender.ask({ count: MESSAGES });
  const { refused } = await done;
  await settled(String(id));
  const rate = (MESSAGES * 1000) / (Date.now() - Number(atMs));
  if (refused !== 0) throw new Error(`${String(refused)} receipts were refused`);
  const cpu = Object.entries(meter.read()).map(([part, ms]) => `${part} ${(ms / MESSAGES).toFixed(2)}`);
  const name = id === undefined ? 'smpp' : 'Hatif';
  console.log(`  ${name}: ${rate.toFixed(0)}/s; CPU ms per message: ${cpu.join(', ')}`);
  return rate;
}

/** A database with a project that has a sender, a template and a price. */
async function openProject(postgresUrl: string) {
  const admin = Database.open(postgresUrl, { poolSize: 1 });
  const name = `bench_messages_${randomBytes(4).toString('hex')}`;
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  await migrateUp(url.href);
  const db = Database.open(url.href);
  const [organizationId, projectId] = [newId(), newId()];
  await db.query(`INSERT INTO organizations (id, name, account_kind) VALUES ($1, 'Bench', 'production')`, [
    organizationId,
  ]);
  await db.query(
    `INSERT INTO projects (id, organization_id, name, signing_secret, destination_classes)
     VALUES ($1, $2, 'Bench', 'x', '{national,mobile}')`,
    [projectId, organizationId],
  );
  await prepare(db, organizationId, projectId);
  return {
    ...{ url: url.href, organizationId, projectId },
    async delivered(broadcastId: string): Promise<void> {
      for (;;) {
        const [left] = await db.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM messages
           WHERE broadcast_id = $1 AND broadcast_variant IS NOT NULL AND status = 'delivered'`,
          [broadcastId],
        );
        if (left?.count === MESSAGES) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async close(): Promise<void> {
      await db.close();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.close();
    },
  };
}

interface Statements {
  query(sql: string, values: unknown[]): Promise<unknown>;
}

async function prepare(db: Statements, organizationId: string, projectId: string): Promise<void> {
  await db.query(
    `INSERT INTO message_senders
       (id, organization_id, project_id, sandbox, channel, sender, status, created_by_key, request_id, created_at)
     VALUES (uuid_v7(), $1, $2, false, 'sms', 'HATIF', 'approved', uuid_v7(), 'bench', now())`,
    [organizationId, projectId],
  );
  await db.query(
    `INSERT INTO message_templates (id, organization_id, project_id, sandbox, channel, name, language, category, status,
       body, buttons, variables, otp_button, revision, created_by_key, request_id, created_at, updated_at)
     VALUES (uuid_v7(), $1, $2, false, 'sms', 'hello', 'en', 'UTILITY', 'approved',
       'Hello number {{1}}', '[]', '{x}', false, 1, uuid_v7(), 'bench', now(), now())`,
    [organizationId, projectId],
  );
  const plan = newId();
  await db.query(`INSERT INTO rate_plans (id, name, created_at) VALUES ($1, $2, now())`, [plan, `bench ${plan}`]);
  await db.query(
    `WITH version AS (
       INSERT INTO rate_plan_versions (id, plan_id, version, valid_from, created_at)
       VALUES (uuid_v7(), $1, 1, '2020-01-01', now()) RETURNING id
     ) INSERT INTO message_rates (version_id, channel, prefix, per_segment) SELECT id, 'sms', '', 80000 FROM version`,
    [plan],
  );
  await db.query(
    `INSERT INTO billing_profiles (organization_id, plan_id, mode) VALUES ($1, $2, 'postpaid')
     ON CONFLICT (organization_id) DO UPDATE SET plan_id = excluded.plan_id`,
    [organizationId, plan],
  );
}

/** Messages that the API accepts per second, while they are sent. */
async function acceptance(testBed: TestBed, account: string): Promise<number | null> {
  const application = await startApplication(testBed, { environment: { SMPP_URLS: account } });
  try {
    const { rows } = await application.db.query<{ organization_id: string }>(
      `SELECT organization_id FROM projects WHERE id = $1`,
      [application.projectId],
    );
    await prepare(application.db, String(rows[0]?.organization_id), application.projectId);
    const rates: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const result = await autocannon({
        url: `${application.url}/v1/messages`,
        method: 'POST',
        headers: { authorization: `Bearer ${application.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ channel: 'sms', to: '+966501234567', text: 'Hello' }),
        ...{ connections: CONNECTIONS, duration: SECONDS },
      });
      const wrong = result.non2xx + result.errors + result.timeouts;
      if (wrong > 0) throw new Error(`${wrong} requests failed`);
      const rate = result.requests.total / result.duration;
      console.log(
        `  POST /v1/messages: ${rate.toFixed(0)}/s, p50 ${result.latency.p50} ms, p99 ${result.latency.p99} ms`,
      );
      if (round > 0) rates.push(rate);
    }
    return median(rates);
  } finally {
    await application.stop();
  }
}
