import { expect } from 'chai';
import { Callbacks, type CallbackFilter } from '../../../core/data/repositories/calls/callbacks.js';
import { sandboxSecondsUsed } from '../../../core/data/repositories/accounts/sandbox-trials.js';
import { newId } from '../../../core/model/ids.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { callRow, groundIn, insertRows, type Ground } from '../../support/rows/rows.js';

const T0 = Date.UTC(2026, 0, 1);
const ROWS = 20_000;
const QUEUE = newId();

describe('callbacks in the database', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let ground: Ground;

  before(async () => {
    database = await testDatabase();
    ground = await groundIn(database.db);
    const first = callRow(ground, { kind: 'callback', created_at: new Date(T0) });
    await insertRows(database.db, 'calls', [first]);
    // Enough rows that the planner avoids a sequential scan.
    await database.db.query(
      `INSERT INTO calls
       SELECT made.* FROM calls AS call
       CROSS JOIN generate_series(1, ${ROWS}) AS n
       CROSS JOIN LATERAL jsonb_populate_record(call, jsonb_build_object(
         'id', uuid_v7(),
         'organization_id', CASE WHEN n % 2 = 0 THEN call.organization_id ELSE gen_random_uuid() END,
         'queue_id', CASE WHEN n % 100 = 0 THEN $2::uuid END,
         'status', CASE WHEN n % 20 = 0 THEN 'missed' ELSE 'ended' END,
         'kind', CASE WHEN n % 4 = 0 THEN 'callback' ELSE 'outbound' END,
         'sandbox', n % 100 = 0,
         'answered_at', call.created_at + n * interval '1 second',
         'ended_at', call.created_at + (n + 2) * interval '1 second',
         'created_at', call.created_at + n * interval '1 second')) AS made
       WHERE call.id = $1`,
      [first.id, QUEUE],
    );
    await database.db.query('ANALYZE calls');
  });
  after(() => database.close());

  const from = new Date(T0);
  const cases: readonly [string, CallbackFilter, boolean, string][] = [
    ['no filter', { from }, false, 'calls_organization_callbacks'],
    ['status', { from, status: 'missed' }, false, 'calls_callbacks_status'],
    ['queue', { from, queueId: QUEUE }, false, 'calls_callbacks_queue'],
    ['a sandbox key', { from }, true, 'calls_callbacks_sandbox'],
  ];
  for (const [name, filter, sandboxOnly, index] of cases) {
    it(`serve the list by ${name} in order, from ${index}`, async () => {
      const { organizationId } = ground;
      const scope = { organizationId, sandboxOnly };
      const plans = await plansOf(() => new Callbacks(database.db).page(scope, filter, { page: 1, pageSize: 20 }));
      const [page] = plans;
      expect(page).to.match(new RegExp(`Index( Only)? Scan using ${index} `));
      expect(page).not.to.match(/Seq Scan|Sort/);
      expect(plans.join('\n')).not.to.match(/Seq Scan/);
    });
  }

  it('count only answered sandbox calls towards a trial', async () => {
    const { projectId } = ground;
    expect(await sandboxSecondsUsed(database.db, projectId, new Date())).to.equal((ROWS / 100) * 2);
    const [plan] = await plansOf(() => sandboxSecondsUsed(database.db, projectId, new Date()));
    expect(plan).to.include('calls_sandbox_answered');
  });

  /** Returns the query plans of the statements that `work` sends, explained with their actual values instead of run. */
  async function plansOf(work: () => Promise<unknown>): Promise<string[]> {
    const { db } = database;
    const real = db.query;
    const plans: Promise<string>[] = [];
    Object.assign(db, {
      query: (sql: string, values: readonly unknown[]) => {
        const explained = real<Record<'QUERY PLAN', string>>(`EXPLAIN (COSTS OFF) ${sql}`, values);
        plans.push(explained.then((rows) => rows.map((row) => row['QUERY PLAN']).join('\n')));
        return explained.then(() => []);
      },
    });
    try {
      await work();
      return await Promise.all(plans);
    } finally {
      Object.assign(db, { query: real });
    }
  }
});
