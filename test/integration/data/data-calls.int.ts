import { expect } from 'chai';
import fc from 'fast-check';
import {
  Calls,
  SHOWN_COLUMNS,
  type CallFilter,
  type CallScope,
  type Position,
  type ShownCall,
} from '../../../core/data/repositories/calls/calls.js';
import { timelineOf } from '../../../core/data/repositories/calls/timeline.js';
import { CALL_DIRECTIONS, CALL_KINDS, CALL_STATUSES, isFinal } from '../../../core/model/call/call.js';
import type { CallRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { callRow, groundIn, insertRows, type Ground } from '../../support/rows/rows.js';

const T0 = Date.UTC(2026, 0, 1);
const QUEUES = [newId(), newId()];
const FLOWS = [newId(), newId()];

/** The order of the lists: newest first, then the higher id. */
function newestFirst(a: ShownCall, b: ShownCall): number {
  return b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1);
}

function pick<T>(from: readonly T[], n: number): T {
  return from[n % from.length]!;
}

/** Calls of every kind; several share a millisecond. */
function variedCalls(ground: Ground, count: number): CallRow[] {
  return Array.from({ length: count }, (_, n) =>
    callRow(ground, {
      status: pick(CALL_STATUSES, n),
      kind: pick(CALL_KINDS, Math.floor(n / 3)),
      direction: pick(CALL_DIRECTIONS, Math.floor(n / 5)),
      sandbox: n % 4 === 0,
      queue_id: pick([...QUEUES, null], n),
      callflow_id: pick([null, null, ...FLOWS], n),
      created_at: new Date(T0 + Math.floor(n / 3) * 1_000),
    }),
  );
}

function matches(call: CallRow, scope: CallScope, filter: CallFilter): boolean {
  return (
    call.project_id === scope.projectId &&
    (!scope.sandboxOnly || call.sandbox) &&
    (filter.status === undefined || call.status === filter.status) &&
    (filter.kind === undefined || call.kind === filter.kind) &&
    (filter.direction === undefined || call.direction === filter.direction) &&
    (filter.queueId === undefined || call.queue_id === filter.queueId) &&
    (filter.callflowId === undefined || call.callflow_id === filter.callflowId) &&
    (filter.from === undefined || call.created_at >= filter.from) &&
    (filter.to === undefined || call.created_at <= filter.to)
  );
}

const anyFilter: fc.Arbitrary<CallFilter> = fc.record(
  {
    status: fc.constantFrom(...CALL_STATUSES),
    kind: fc.constantFrom(...CALL_KINDS),
    direction: fc.constantFrom(...CALL_DIRECTIONS),
    queueId: fc.constantFrom(...QUEUES, newId()),
    callflowId: fc.constantFrom(...FLOWS),
    from: fc.integer({ min: -1, max: 45 }).map((seconds) => new Date(T0 + seconds * 1_000)),
    to: fc.integer({ min: -1, max: 45 }).map((seconds) => new Date(T0 + seconds * 1_000)),
  },
  { requiredKeys: [] },
);

/**
 * By indexes, and with the joins in their order: what the planner takes for small depends on the statistics of a
 * database that other tests used before.
 */
const AS_WRITTEN = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin']
  .map((name) => `SET LOCAL ${name} = off`)
  .concat('SET LOCAL join_collapse_limit = 1')
  .join('; ');

describe('the calls', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let calls: Calls;
  let ground: Ground;
  let all: CallRow[];

  before(async () => {
    database = await testDatabase();
    calls = new Calls(database.db);
    ground = await groundIn(database.db);
    all = [...variedCalls(ground, 120), ...variedCalls(await groundIn(database.db), 30)];
    await insertRows(database.db, 'calls', all);
  });
  after(() => database.close());

  const expected = (scope: CallScope, filter: CallFilter) =>
    all.filter((call) => matches(call, scope, filter)).sort(newestFirst);
  const shown = (call: CallRow) => Object.fromEntries(SHOWN_COLUMNS.map((name) => [name, call[name]]));
  const scopeOf = (sandboxOnly: boolean): CallScope => ({ projectId: ground.projectId, sandboxOnly });
  async function walk(scope: CallScope, filter: CallFilter, limit: number, between?: () => Promise<void>) {
    const rows: ShownCall[] = [];
    let after: Position | undefined;
    for (;;) {
      const page = await calls.list(scope, filter, { limit, after });
      expect(page.rows.length).to.be.at.most(limit);
      rows.push(...page.rows);
      const last = page.rows.at(-1);
      if (!page.hasMore || !last) return rows;
      expect(page.rows).to.have.length(limit);
      after = { createdAt: last.created_at, id: last.id };
      await between?.();
    }
  }

  describe('a call by id', () => {
    it('is found in its project, and by a sandbox key only if it is a sandbox call', async () => {
      for (const call of all.slice(0, 8)) {
        expect(await calls.get(scopeOf(false), call.id)).to.deep.equal(call);
        expect(await calls.get(scopeOf(true), call.id)).to.deep.equal(call.sandbox ? call : null);
        expect(await calls.find(call.id)).to.deep.equal(call);
      }
    });

    it('is not found from another project, under an unknown id or a malformed one', async () => {
      const foreign = all.at(-1)!;
      for (const id of [foreign.id, newId(), 'x', '', "' OR true --"]) {
        expect(await calls.get(scopeOf(false), id)).to.equal(null);
      }
    });
  });

  describe('the call that a request created', () => {
    it('is the newest one of that project, key and request since then, and never a system call', async () => {
      const [own, other] = [await groundIn(database.db), await groundIn(database.db)];
      const [key, request_id, since] = [newId(), 'recovered', new Date(T0)];
      const made = (ms: number, changes: Partial<CallRow> = {}) =>
        callRow(own, { created_by_key: key, request_id, created_at: new Date(T0 + ms), ...changes });
      const found = made(20);
      await insertRows(database.db, 'calls', [
        found,
        made(10),
        made(30, { system: true }),
        made(40, { request_id: 'another' }),
        made(50, { created_by_key: newId() }),
        made(60, { project_id: other.projectId }),
        made(-1, { request_id: 'before' }),
        made(70, { request_id: 'system', system: true }),
      ]);
      expect(await calls.createdBy(own.projectId, key, request_id, since)).to.deep.equal(found);
      for (const request of ['before', 'system']) {
        expect(await calls.createdBy(own.projectId, key, request, since), request).to.equal(null);
      }
    });
  });

  describe('the number of live calls', () => {
    it('counts those of one project that are not over, outside the sandbox, except one', async () => {
      const [own, other] = [await groundIn(database.db), await groundIn(database.db)];
      const live = CALL_STATUSES.filter((status) => !isFinal(status));
      const rows = CALL_STATUSES.map((status) => callRow(own, { status }));
      await insertRows(database.db, 'calls', [
        ...rows,
        ...live.map((status) => callRow(own, { status, sandbox: true })),
        ...[...live, ...live].map((status) => callRow(other, { status })),
      ]);
      expect(await calls.countLive(own.projectId, null)).to.equal(live.length);
      expect(await calls.countLive(other.projectId, null)).to.equal(2 * live.length);
      const [first] = rows.filter(({ status }) => !isFinal(status));
      expect(await calls.countLive(own.projectId, first!.id)).to.equal(live.length - 1);
      expect(await calls.countLive(other.projectId, first!.id)).to.equal(2 * live.length);
      expect(await calls.countLive(newId(), null)).to.equal(0);
    });
  });

  describe('lists', () => {
    it('return the matching calls for every filter and combination, in order of time', async () => {
      await fc.assert(
        fc.asyncProperty(anyFilter, fc.boolean(), fc.integer({ min: 1, max: 50 }), async (filter, sandbox, limit) => {
          const scope = scopeOf(sandbox);
          const wanted = expected(scope, filter).map(shown);
          expect(await walk(scope, filter, limit)).to.deep.equal(wanted);
          const page = await calls.page(scope, filter, { page: 2, pageSize: limit });
          expect(page).to.deep.equal({ rows: wanted.slice(limit, 2 * limit), totalCount: wanted.length });
        }),
        { numRuns: 60 },
      );
    });

    it('are empty for a malformed queue or flow id', async () => {
      for (const filter of [{ queueId: 'sales' }, { callflowId: 'x' }]) {
        expect(await calls.list(scopeOf(false), filter, { limit: 5 })).to.deep.equal({ rows: [], hasMore: false });
        expect(await calls.page(scopeOf(false), filter, { page: 1, pageSize: 5 })).to.deep.equal({
          rows: [],
          totalCount: 0,
        });
      }
    });

    it('by cursor neither repeat nor skip a call while others are created', async () => {
      const anyWhen = fc.integer({ min: 0, max: 60 });
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyWhen, { minLength: 1, maxLength: 30 }),
          fc.array(anyWhen, { minLength: 1, maxLength: 10 }),
          fc.integer({ min: 1, max: 7 }),
          async (times, later, limit) => {
            const own = await groundIn(database.db);
            const made = (ms: number) => callRow(own, { created_at: new Date(T0 + ms) });
            const rows = times.map(made);
            await insertRows(database.db, 'calls', rows);
            const waiting = later.map(made);
            const scope = { projectId: own.projectId, sandboxOnly: false };
            const seen = await walk(scope, {}, limit, async () => {
              const next = waiting.pop();
              if (next) await insertRows(database.db, 'calls', [next]);
            });
            const ids = seen.map(({ id }) => id);
            expect(new Set(ids).size, 'no duplicates').to.equal(ids.length);
            expect(ids).to.include.members(rows.map(({ id }) => id));
            expect(seen).to.deep.equal([...seen].sort(newestFirst));
          },
        ),
        { numRuns: 40 },
      );
    });
  });

  describe('indexes', () => {
    before(async () => {
      // Enough rows that the planner avoids a sequential scan, in one big project and some small ones.
      await database.db.query(
        `INSERT INTO calls
         SELECT made.* FROM calls AS call
         CROSS JOIN generate_series(1, 20000) AS n
         CROSS JOIN LATERAL jsonb_populate_record(call, jsonb_build_object(
           'id', uuid_v7(),
           'queue_id', CASE WHEN n % 50 = 0 THEN $2::uuid END,
           'callflow_id', CASE WHEN n % 50 = 1 THEN $3::uuid END,
           'status', (ARRAY['ended', 'ended', 'ended', 'missed', 'failed'])[n % 5 + 1],
           'sandbox', n % 100 = 0,
           'kind', CASE WHEN n % 100 = 7 THEN 'callback' ELSE 'outbound' END,
           'direction', CASE WHEN n % 20 = 7 THEN 'inbound' ELSE 'outbound' END,
           'created_at', call.created_at + n * interval '1 second')) AS made
         WHERE call.id = $1`,
        [all[0]!.id, QUEUES[0], FLOWS[0]],
      );
      await database.db.query('ANALYZE calls');
    });

    const cases: readonly [string, CallFilter, boolean, string][] = [
      ['no filter', {}, false, 'calls_project'],
      ['from and to', { from: new Date(T0), to: new Date(T0 + 9e6) }, false, 'calls_project'],
      ['status', { status: 'timeout' }, false, 'calls_project_status'],
      ['kind', { kind: 'web' }, false, 'calls_project_kind'],
      ['direction', { direction: 'inbound' }, false, 'calls_project_direction'],
      ['queue_id', { queueId: QUEUES[1]! }, false, 'calls_project_queue'],
      ['callflow_id', { callflowId: FLOWS[1]! }, false, 'calls_project_callflow'],
      ['a sandbox key', {}, true, 'calls_project_sandbox'],
    ];
    for (const [name, filter, sandboxOnly, index] of cases) {
      it(`serve the list by ${name} in order, using ${index}`, async () => {
        const plan = await planOf(() => calls.list(scopeOf(sandboxOnly), filter, { limit: 20 }));
        expect(plan).to.match(new RegExp(`Index( Only)? Scan using ${index} `));
        expect(plan).not.to.match(/Seq Scan|Sort/);
        const after = { createdAt: new Date(T0 + 8e6), id: newId() };
        const next = await planOf(() => calls.list(scopeOf(sandboxOnly), filter, { limit: 20, after }));
        expect(next).to.match(/Index Cond: .*ROW\(created_at, id\) < ROW\(/);
        expect(next).not.to.match(/Seq Scan|Sort/);
      });
    }

    it('serve the unfinished calls of an engine, the legs of calls and a timeline', async () => {
      // Without what the statistics remember of rows that other tests had in this database.
      await database.db.query('TRUNCATE call_timeline, events, webhook_deliveries, webhook_attempts CASCADE');
      const unfinished = await planOf(() => calls.unfinished(newId()), true);
      for (const index of ['calls_unfinished', 'legs_live', 'calls_pkey']) expect(unfinished).to.include(index);
      expect(await planOf(() => calls.unplaced(newId()))).to.include('calls_unfinished');
      expect(await planOf(() => calls.legsOf([all[0]!.id]), true)).to.include('legs_call');
      const plan = await planOf(() => timelineOf(database.db, all[0]!.id), true);
      for (const index of [
        'call_timeline_call',
        'events_sequence',
        'webhook_deliveries_event',
        'webhook_attempts_delivery',
      ]) {
        expect(plan).to.include(index);
      }
    });

    /** Returns the plan of the one statement that `work` sends. `forced`: as {@link AS_WRITTEN}. */
    async function planOf(work: () => Promise<unknown>, forced = false): Promise<string> {
      const { db } = database;
      const real = db.query;
      let plan = '';
      // The real statement with its real values, explained instead of executed.
      Object.assign(db, {
        query: async (sql: string, values: readonly unknown[]) => {
          plan = await db.transaction(async (tx) => {
            if (forced) await tx.query(AS_WRITTEN);
            const rows = await tx.query<Record<'QUERY PLAN', string>>(`EXPLAIN (COSTS OFF) ${sql}`, values);
            return rows.map((row) => row['QUERY PLAN']).join('\n');
          });
          return [];
        },
      });
      try {
        await work();
      } finally {
        Object.assign(db, { query: real });
      }
      return plan;
    }
  });
});
