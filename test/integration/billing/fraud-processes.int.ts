import { expect } from 'chai';
import { Database } from '../../../core/data/database.js';
import { HatifError } from '../../../core/model/errors/index.js';
import type { FraudCheck } from '../../../core/model/fraud/limits.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import type { FraudGuard } from '../../../core/services/dialling/fraud-guard.js';
import { Retention } from '../../../core/services/retention/retention.js';
import { quiet } from '../../support/logger.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { fraudGuardOn } from '../../support/rows/fraud-guard.js';
import { groundIn, type Ground } from '../../support/rows/rows.js';

describe('limits against toll fraud in several processes', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let processes: { readonly db: Database; readonly guard: FraudGuard }[];
  let ground: Ground;

  const open = (): { readonly db: Database; readonly guard: FraudGuard } => {
    const db = Database.open(database.url, { poolSize: 5 });
    return { db, guard: fraudGuardOn(db, { priceOf: () => Promise.resolve(null) }, systemClock) };
  };
  before(async () => {
    database = await testDatabase();
    processes = [open(), open()];
  });
  beforeEach(async () => {
    ground = await groundIn(database.db);
  });
  after(async () => {
    for (const { db } of processes) await db.close();
    await database.close();
  });

  const checks = (scope: FraudCheck['scope'], at_most: number): FraudCheck[] => [
    { scope, rule: 'calls_per_hour', at_most, since: new Date(Date.now() - 3_600_000) },
  ];
  async function take(guard: FraudGuard, limits: readonly FraudCheck[], agent: string | null): Promise<string> {
    const { organizationId, projectId } = ground;
    const number = '+966559876543';
    const leg = { organizationId, projectId, agent, legId: newId(), to: number, number, kind: 'outbound' } as const;
    return guard.take(leg, limits).then(
      () => 'dialled',
      (error: unknown) => {
        if (error instanceof HatifError) return String(error.code);
        throw error;
      },
    );
  }
  const dialled = async (): Promise<number> =>
    (await database.db.query(`SELECT FROM outside_legs WHERE project_id = $1`, [ground.projectId])).length;

  for (const [scope, agent] of [
    ['agent', '1001'],
    ['project', null],
  ] as const) {
    it(`never dial more than the limit of the ${scope} together, and block once`, async () => {
      const legs = Array.from({ length: 60 }, (_, leg) => take(processes[leg % 2]!.guard, checks(scope, 17), agent));
      const outcomes = await Promise.all(legs);
      expect(outcomes.filter((outcome) => outcome === 'dialled')).to.have.length(17);
      expect(outcomes.filter((outcome) => outcome === 'OUTBOUND_BLOCKED')).to.have.length(43);
      expect(await dialled()).to.equal(17);
      const blocks = await database.db.query(`SELECT agent FROM fraud_blocks WHERE project_id = $1`, [
        ground.projectId,
      ]);
      expect(blocks).to.deep.equal([{ agent }]);
      const events = await database.db.query(`SELECT FROM events WHERE project_id = $1`, [ground.projectId]);
      expect(events).to.have.length(1);
    });
  }

  it('count on after a restart, and see the block of a process that died', async () => {
    for (let leg = 0; leg < 3; leg++) await take(processes[0]!.guard, checks('agent', 4), '1001');
    const restarted = open();
    processes.push(restarted);
    expect(await take(restarted.guard, checks('agent', 4), '1001')).to.equal('dialled');
    expect(await take(restarted.guard, checks('agent', 4), '1001')).to.equal('OUTBOUND_BLOCKED');
    const another = open();
    processes.push(another);
    expect(await take(another.guard, [], '1001'), 'without a limit').to.equal('OUTBOUND_BLOCKED');
    expect(await take(another.guard, checks('agent', 4), '1002'), 'another agent').to.equal('dialled');
  });

  it('block again with the next call if a process died before it blocked', async () => {
    const dying = fraudGuardOn(database.db, { priceOf: () => Promise.resolve(null) }, systemClock);
    await take(dying, checks('agent', 1), '1001');
    await database.db.query(`ALTER TABLE fraud_blocks RENAME TO gone`);
    const lost = await take(dying, checks('agent', 1), '1001').catch(() => 'lost');
    await database.db.query(`ALTER TABLE gone RENAME TO fraud_blocks`);
    expect(lost).to.equal('lost');
    expect(await dialled()).to.equal(1);
    expect(await take(dying, checks('agent', 1), '1001')).to.equal('OUTBOUND_BLOCKED');
  });

  it('forget legs that are older than what retention keeps', async () => {
    for (let leg = 0; leg < 3; leg++) await take(processes[0]!.guard, checks('agent', 9), '1001');
    await database.db.query(
      `UPDATE outside_legs SET dialled_at = now() - interval '91 days' WHERE leg_id IN (
      SELECT leg_id FROM outside_legs WHERE project_id = $1 ORDER BY leg_id LIMIT 2)`,
      [ground.projectId],
    );
    const rules = {
      eventsDays: 0,
      timelineDays: 0,
      auditDays: 0,
      verificationsDays: 0,
      messagesDays: 0,
      refusedCallsDays: 0,
    };
    const observer = { deleted: () => undefined, finished: () => undefined };
    const audit = { prune: () => Promise.resolve(0) };
    const retention = new Retention({ db: database.db, rules, observer, audit, clock: systemClock, log: quiet });
    expect(await retention.run()).to.include({ outside_legs: 2 });
    expect(await dialled()).to.equal(1);
  });

  it('keep projects apart', async () => {
    await take(processes[0]!.guard, checks('project', 1), '1001');
    await take(processes[0]!.guard, checks('project', 1), '1001');
    ground = await groundIn(database.db);
    expect(await take(processes[1]!.guard, checks('project', 1), '1001')).to.equal('dialled');
  });
});
