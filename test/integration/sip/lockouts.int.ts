import { expect } from 'chai';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { SipLockouts } from '../../../core/data/repositories/sip/lockouts.js';
import { systemClock } from '../../../core/ports/clock.js';
import { newAgentRow } from '../../../core/services/agents/new-agent.js';
import { LockoutReports } from '../../../core/services/sip-guards/report.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { insertRows, ownerIn } from '../../support/rows/rows.js';

describe('lockouts at the edge', () => {
  let database: TestDatabase;
  let lockouts: SipLockouts;

  before(async () => {
    database = await testDatabase();
    lockouts = new SipLockouts(database.db);
  });
  after(() => database.close());

  it('are new to one of the processes that see them at the same time', async () => {
    const subject = { kind: 'address', subject: '203.0.113.9', reason: 'scanner' } as const;
    const seen = await Promise.all([1, 2, 3, 4].map(() => lockouts.lock(subject, 60, 86_400)));
    expect(seen.filter(({ is_new: isNew }) => isNew)).to.have.length(1);
    expect((await lockouts.lock(subject, 60, 86_400)).is_new).to.equal(false);
    await database.db.query(`UPDATE sip_lockouts SET locked_until = now() - interval '1 second'`);
    expect(await lockouts.lock(subject, 60, 86_400)).to.include({ is_new: true, times: 2 });
  });

  it('of an agent are an event of its project, and of no other', async () => {
    const [owner] = [await ownerIn(database.db), await ownerIn(database.db)];
    const ofAgent = { id: owner.projectId, organization_id: owner.organizationId };
    const { row } = newAgentRow(ofAgent, '1001', 'Reem', TEST_CIPHER, new Date());
    await insertRows(database.db, 'agents', [{ ...row, aor: '1001-4f2a' }]);
    const reports = new LockoutReports({ db: database.db, agents: new Agents(database.db), clock: systemClock });
    const until = new Date('2026-01-01T10:00:00Z');
    await reports.report({ subject: '1001-4f2a', locked_until: until });
    await reports.report({ subject: 'nobody', locked_until: until });
    const events = await database.db.query(
      `SELECT project_id, organization_id, type, data, sandbox FROM events WHERE type LIKE 'agent.%'`,
    );
    expect(events).to.deep.equal([
      {
        ...{
          project_id: owner.projectId,
          organization_id: owner.organizationId,
          type: 'agent.locked_out',
          sandbox: false,
        },
        data: { agent: '1001', locked_until: '2026-01-01T10:00:00.000Z' },
      },
    ]);
  });
});
