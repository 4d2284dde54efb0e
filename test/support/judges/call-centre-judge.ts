import { expect } from 'chai';
import type { Database } from '../../../core/data/database.js';
import type { CallRow } from '../../../core/data/rows.js';
import { Dispatcher } from '../../../core/model/queue/dispatcher.js';
import type { Decision, StampedEvent, VisitOutcome } from '../../../core/model/queue/types.js';
import type { QueueStatsObject } from '../../../core/services/queues/read.js';
import type { CallCentre, Crowd } from '../calls/call-centre.js';

interface Visit {
  readonly call_id: string;
  readonly queue_id: string;
  readonly entered_at: Date;
  readonly outcome: VisitOutcome | null;
  readonly agent: string | null;
  readonly wait_ms: number;
}

interface Interval {
  readonly who: string;
  readonly from: Date;
  readonly to: Date | null;
}

/** The final status and disposition of a caller's call, by the outcome of its last queue wait. */
const FINAL_STATES: Readonly<Record<VisitOutcome, readonly [CallRow['status'], CallRow['disposition']]>> = {
  answered: ['ended', 'answered'],
  abandoned: ['missed', 'queue_abandoned'],
  max_wait: ['timeout', 'queue_timeout'],
  full: ['timeout', 'queue_timeout'],
  queue_removed: ['timeout', 'queue_timeout'],
};

/** The overflow rules of a queue. */
export interface Rules {
  readonly maxWaitSeconds: number;
  /** The queue that callers overflow to; null: their call ends. */
  readonly overflow: string | null;
  /** Several phones may ring for one caller. */
  readonly ringsAll?: boolean;
}

/** Checks everything that must be true after a day of a call centre, regardless of what happened. */
export async function judge(db: Database, centre: CallCentre, rules: Readonly<Record<string, Rules>>): Promise<void> {
  const visits = await db.query<Visit>(
    `SELECT call_id, queue_id, entered_at, outcome, agent, wait_ms::int AS wait_ms FROM queue_visits ORDER BY visit`,
  );
  const names = new Map([...centre.queues].map(([name, id]) => [id, name]));
  for (const crowd of centre.crowds) await judgeCrowd(db, crowd, visits, (id) => rules[names.get(id)!]!, centre);
  await judgeAgents(db, centre);
  await judgeOffers(db, (id) => rules[names.get(id)!]!);
  await judgeStats(db, centre, visits);
  await judgeLog(db);
}

/** Each caller was answered, overflowed or gave up by the rules. */
async function judgeCrowd(
  db: Database,
  crowd: Crowd,
  visits: readonly Visit[],
  rulesOf: (queueId: string) => Rules,
  centre: CallCentre,
): Promise<void> {
  const calls = await db.query<CallRow>(`SELECT * FROM calls WHERE customer_number = $1`, [crowd.caller]);
  expect(calls.length, crowd.name).to.equal(crowd.calls);
  for (const call of calls) {
    const label = `${crowd.name} ${call.id}`;
    const waits = visits.filter(({ call_id }) => call_id === call.id);
    const last = waits.at(-1);
    expect(last, `${label} waited`).not.to.equal(undefined);
    for (const wait of waits) {
      expect(wait.outcome, `${label} no longer waits`).not.to.equal(null);
      const { maxWaitSeconds, overflow } = rulesOf(wait.queue_id);
      if (wait.outcome === 'max_wait') expect(wait.wait_ms, label).to.be.at.least(maxWaitSeconds * 1_000);
      const next = waits[waits.indexOf(wait) + 1];
      if (wait !== last) {
        expect(wait.outcome, label).to.be.oneOf(['max_wait', 'full']);
        expect(next!.queue_id, `${label} overflowed to`).to.equal(centre.queueId(overflow!));
      } else if (wait.outcome === 'max_wait' || wait.outcome === 'full') {
        expect(overflow, `${label} has no queue to overflow to`).to.equal(null);
      }
    }
    const [status, disposition] = FINAL_STATES[last!.outcome!];
    expect([call.status, call.disposition], label).to.deep.equal([status, disposition]);
    expect(call.agent, label).to.equal(last!.outcome === 'answered' ? last!.agent : null);
    expect(call.served_queue_id, label).to.equal(last!.queue_id);
    if (last!.outcome === 'abandoned') expect(crowd.patienceMs, `${label} gave up`).not.to.equal(null);
    const events = await db.query<{ type: string; outcome: string | null; queue_id: string }>(
      `SELECT type, data->>'outcome' AS outcome, data->>'queue_id' AS queue_id FROM events
       WHERE call_id = $1 AND type LIKE 'queue.%' ORDER BY sequence`,
      [call.id],
    );
    expect(events, label).to.deep.equal(
      waits.flatMap(({ queue_id, outcome }) => [
        { type: 'queue.entered', outcome: null, queue_id },
        { type: 'queue.left', outcome, queue_id },
      ]),
    );
  }
}

/** No agent is rung for two callers or is in two calls, according to the stored legs and to the phones. */
async function judgeAgents(db: Database, centre: CallCentre): Promise<void> {
  const rung = await db.query<Interval>(
    `SELECT endpoint->>'aor' AS who, legs.created_at AS from, legs.ended_at AS to FROM legs JOIN calls ON calls.id = call_id
     WHERE calls.served_queue_id IS NOT NULL AND legs.role <> 'customer' ORDER BY legs.created_at`,
  );
  expect(rung.length, 'agents were rung').to.be.greaterThan(0);
  for (const { phone } of centre.agents) {
    const { user } = phone.options;
    expect(overlaps(rung.filter(({ who }) => who === user)), `${user} was rung for two`).to.deep.equal([]);
    const talks = [...phone.calls.values()].flatMap(({ id, direction, establishedAt, closedAt }) =>
      direction === 'incoming' && establishedAt ? [{ who: id, from: establishedAt, to: closedAt }] : [],
    );
    expect(overlaps(talks), `${user} was in two calls`).to.deep.equal([]);
  }
}

/** A caller is offered to one agent after another, unless the queue rings all. */
async function judgeOffers(db: Database, rulesOf: (queueId: string) => Rules): Promise<void> {
  const legs = await db.query<Interval & { readonly queue_id: string }>(
    `SELECT call_id AS who, legs.created_at AS from, legs.ended_at AS to, served_queue_id AS queue_id
     FROM legs JOIN calls ON calls.id = call_id WHERE served_queue_id IS NOT NULL AND legs.role <> 'customer'`,
  );
  for (const callId of new Set(legs.map(({ who }) => who))) {
    const of = legs.filter(({ who }) => who === callId);
    const isAlone = rulesOf(of[0]!.queue_id).ringsAll !== true;
    if (isAlone) expect(overlaps(of), `${callId} was offered to two`).to.deep.equal([]);
  }
}

function overlaps(intervals: readonly Interval[]): readonly (readonly Interval[])[] {
  const sorted = [...intervals].sort((one, other) => one.from.getTime() - other.from.getTime());
  return sorted.flatMap((interval, index) => {
    const next = sorted[index + 1];
    return next && (interval.to === null || interval.to > next.from) ? [[interval, next]] : [];
  });
}

/** The statistics of each queue match the queue waits, and these match the calls. */
async function judgeStats(db: Database, centre: CallCentre, visits: readonly Visit[]): Promise<void> {
  for (const [name, id] of centre.queues) {
    const stats = (await centre.good('GET', `/v1/queues/${id}/stats`)) as unknown as QueueStatsObject;
    const of = visits.filter(({ queue_id }) => queue_id === id);
    const count = (...outcomes: readonly VisitOutcome[]): number =>
      of.filter(({ outcome }) => outcome !== null && outcomes.includes(outcome)).length;
    const { offered, answered, abandoned, overflowed, waiting } = stats;
    expect({ offered, answered, abandoned, overflowed, waiting }, name).to.deep.equal({
      offered: of.length,
      answered: count('answered'),
      abandoned: count('abandoned'),
      overflowed: count('max_wait', 'full', 'queue_removed'),
      waiting: 0,
    });
    expect(answered + abandoned + overflowed, `${name} adds up`).to.equal(offered);
    const [rows] = await db.query<{ answered: number }>(
      `SELECT count(*)::int AS answered FROM calls WHERE served_queue_id = $1 AND status = 'ended'`,
      [id],
    );
    expect(rows?.answered, `${name}'s calls`).to.equal(answered);
  }
}

/** The log gives the same decisions again, from its first entry to its last. */
async function judgeLog(db: Database): Promise<void> {
  const log = await db.query<{ sequence: number; event: StampedEvent; decisions: Decision[] }>(
    `SELECT sequence::int AS sequence, event, decisions FROM queue_log ORDER BY sequence`,
  );
  const replayed = new Dispatcher();
  expect(log[0]?.sequence, 'the log is complete').to.equal(1);
  for (const { sequence, event, decisions } of log) {
    expect(replayed.apply(event), `entry ${sequence}`).to.deep.equal(decisions);
  }
  expect(replayed.waiting(), 'nobody waits').to.deep.equal([]);
}
