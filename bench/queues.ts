import pg from 'pg';
import { Database } from '../core/data/database.js';
import { Dispatcher } from '../core/model/queue/dispatcher.js';
import { STRATEGIES, type Decision, type QueueEvent, type Strategy } from '../core/model/queue/types.js';
import { queueParts } from '../test/support/stages/queue-stage.js';
import { groundIn } from '../test/support/rows/rows.js';
import { inDatabase } from './lib/database.js';
import type { TestBed } from './lib/test-bed.js';
import { percentile } from './lib/percentile.js';
import type { Row } from './lib/table.js';
import { AGENTS, BusyDay, rulesOf, WAITING } from './queues/day.js';
import { PlainQueue } from './queues/plain.js';

const DATABASE = 'hatif_queues';
/** Strategies whose decisions offer a caller to one agent. */
const ONE_BY_ONE = STRATEGIES.filter((strategy) => strategy !== 'ring_all');
/** Enough that no queue exceeds the maximum length of a queue. */
const QUEUES = 2 * ONE_BY_ONE.length;
const WARM_UP = 1_000;
const PURE_DECISIONS = 20_000;
const ROUND_MS = 15_000;
const AT_ONCE = 32;
/** Simulated time between two ended calls when the dispatcher runs alone: each agent talks for three minutes. */
const STEP_MS = 180;
const BATCH = 500;

/** Decisions are counted as offers of a caller to an agent. */
interface Measured {
  readonly perSecond: number;
  /** Milliseconds from each event that led to an offer until the decision. */
  readonly tookMs: readonly number[];
}

/**
 * Measures how fast callers are assigned to agents when there are many of both: by the dispatcher alone, and with its
 * log in PostgreSQL (one event after another, and many events at once). The baseline is a queue of rows and SQL
 * statements.
 */
export async function run(testBed: TestBed): Promise<Row[]> {
  const what = `dispatch with ${AGENTS} agents in ${QUEUES} queues, ${WAITING} waiting`;
  const pure = measureDispatcher();
  const rows = [
    ...rowsOf(`${what}: the dispatcher alone`, pure, null),
    ...(await inDatabase(testBed, DATABASE, async (url) => {
      const plain = await measurePlain(url);
      const [single, many] = [await measureLogged(url, 1), await measureLogged(url, AT_ONCE)];
      return [
        ...rowsOf(`${what}, its log in PostgreSQL, one event after another  vs  rows and statements`, single, plain),
        ...rowsOf(`${what}, its log in PostgreSQL, ${AT_ONCE} events at once`, many, null),
      ];
    })),
  ];
  return rows;
}

function rowsOf(what: string, ours: Measured, baseline: Measured | null): Row[] {
  const of = (tookMs: readonly number[] | undefined, part: number): number | null =>
    tookMs ? percentile(tookMs, part) : null;
  const at = (part: number, name: string): Row => ({
    what: `${what}, ${name} of a decision`,
    ours: of(ours.tookMs, part),
    baseline: of(baseline?.tookMs, part),
    unit: 'ms',
  });
  console.log(`  ${what}: ${ours.perSecond.toFixed(0)} decisions/s of ${ours.tookMs.length}`);
  return [
    { what, ours: ours.perSecond, baseline: baseline?.perSecond ?? null, unit: 'decisions/s' },
    at(0.5, 'p50'),
    at(0.99, 'p99'),
  ];
}

/** Without a database. */
function measureDispatcher(): Measured {
  const dispatcher = new Dispatcher();
  const ids = Array.from({ length: QUEUES }, (_, index) => `queue-${index}`);
  const day = new BusyDay(ids);
  let now = Date.now();
  const apply = (event: QueueEvent): readonly Decision[] => {
    if (event.type === 'leg_ended') now += STEP_MS;
    const decisions = dispatcher.apply({ ...event, at: now });
    day.observe(decisions);
    return decisions;
  };
  for (const [index, id] of ids.entries()) apply({ type: 'queue_put', queue: rulesOf(id, strategyOf(index)) });
  for (const event of day.begin()) apply(event);
  const tookMs: number[] = [];
  let spentMs = 0;
  while (!day.isBusy) apply(day.next());
  for (let decided = 0; decided < WARM_UP + PURE_DECISIONS;) {
    const event = day.next();
    const startedMs = performance.now();
    const decisions = apply(event);
    const took = performance.now() - startedMs;
    const made = decisions.filter(isOffer).length;
    decided += made;
    if (decided <= WARM_UP) continue;
    spentMs += took;
    if (made > 0) tookMs.push(took);
  }
  return { perSecond: (PURE_DECISIONS * 1_000) / spentMs, tookMs };
}

/** @param atOnce how many events are sent without waiting for each other */
export async function measureLogged(url: string, atOnce: number): Promise<Measured> {
  const db = Database.open(url);
  try {
    const { organizationId, projectId } = await groundIn(db);
    const { coordinator, queues } = queueParts(db);
    const ids: string[] = [];
    for (let index = 0; index < QUEUES; index += 1) {
      const { id, strategy, wrapUpSeconds, ringTimeoutSeconds, ...limits } = rulesOf('', strategyOf(index));
      const made = await queues.create(
        { organizationId, projectId },
        {
          ...{ name: `queue-${index}${id}`, dial_code: null, strategy, wrap_up_seconds: wrapUpSeconds },
          ...{ ring_timeout_seconds: ringTimeoutSeconds, max_wait_seconds: limits.maxWaitSeconds },
          ...{
            max_length: limits.maxLength,
            service_level_seconds: 20,
            unavailable_seconds: limits.unavailableSeconds,
            required_skills: {},
            skills_timeout_seconds: null,
          },
          ...{ announce_position: false, announce_every_seconds: 30, music: null },
          ...{ overflow: { type: 'hangup', target: null }, callback_mode: 'agent_first', record: false },
        },
      );
      ids.push(made.id);
    }
    const day = new BusyDay(ids);
    let offered = 0;
    coordinator.onDecisions((_, decisions) => {
      offered += decisions.filter(isOffer).length;
      day.observe(decisions);
    });
    const initial = [...day.begin()];
    while (initial.length > 0) await coordinator.notify(projectId, () => initial.splice(0, BATCH));
    while (!day.isBusy) await coordinator.notify(projectId, () => day.nextBatch());
    const tookMs: number[] = [];
    let startedMs = performance.now();
    const work = async (untilMs: number): Promise<void> => {
      while (performance.now() < untilMs) {
        const before = offered;
        const sentMs = performance.now();
        await coordinator.notify(projectId, () => [day.next()]);
        if (offered > before) tookMs.push(performance.now() - sentMs);
      }
    };
    const round = async (lastsMs: number): Promise<void> => {
      startedMs = performance.now();
      await Promise.all(Array.from({ length: atOnce }, () => work(startedMs + lastsMs)));
    };
    await round(ROUND_MS / 5);
    [offered, tookMs.length] = [0, 0];
    await round(ROUND_MS);
    const perSecond = (offered * 1_000) / (performance.now() - startedMs);
    await coordinator.stop();
    return { perSecond, tookMs };
  } finally {
    await db.close();
  }
}

async function measurePlain(url: string): Promise<Measured> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const queue = new PlainQueue(client);
    await queue.open();
    for (let run = 0; run < WARM_UP; run += 1) await queue.decide();
    const tookMs: number[] = [];
    const startedMs = performance.now();
    while (performance.now() < startedMs + ROUND_MS) {
      const decisionMs = performance.now();
      await queue.decide();
      tookMs.push(performance.now() - decisionMs);
    }
    return { perSecond: (tookMs.length * 1_000) / (performance.now() - startedMs), tookMs };
  } finally {
    await client.end();
  }
}

function isOffer({ type }: Decision): boolean {
  return type === 'offer';
}

function strategyOf(index: number): Strategy {
  return ONE_BY_ONE[index % ONE_BY_ONE.length] ?? 'longest_idle';
}
