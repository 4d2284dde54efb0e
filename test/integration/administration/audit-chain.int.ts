import { expect } from 'chai';
import { insertAuditRows } from '../../../core/data/repositories/accounts/audit.js';
import type { Database } from '../../../core/data/database.js';
import type { AuditRow } from '../../../core/data/rows.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { AuditChain } from '../../../core/services/audit/chain.js';
import { VerifyAudit } from '../../../core/services/audit/verify.js';
import { HatifCommand, SECRET } from '../../support/command.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { ownerIn } from '../../support/rows/rows.js';

const DAY_MS = 86_400_000;

describe('the chain of the audit log', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let db: Database;
  let chain: AuditChain;
  let verify: VerifyAudit;
  const cipher = new Cipher(SECRET);

  beforeEach(async () => {
    database = await testDatabase();
    ({ db } = database);
    chain = new AuditChain({ db, cipher, clock: systemClock, batchRows: 4 });
    verify = new VerifyAudit({ db, cipher });
  });
  afterEach(() => database.close());

  function row(daysAgo = 0): AuditRow {
    return {
      ...{
        id: newId(),
        organization_id: null,
        project_id: null,
        key_id: null,
        user_id: newId(),
        administrator_id: null,
      },
      ...{
        actor: 'noura@example.com',
        request_id: newId(),
        method: 'POST',
        path: '/v1/x',
        route: '/v1/x',
        status: 201,
      },
      ...{ error_code: null, ip: '::1', details: { b: 1.5, a: ['ج', null] } },
      created_at: new Date(Date.now() - daysAgo * DAY_MS),
    };
  }
  const insert = (count: number, daysAgo = 0): Promise<void> =>
    insertAuditRows(
      db,
      Array.from({ length: count }, () => row(daysAgo)),
    );
  /** As somebody who owns the database and takes its guards away. */
  const forge = (sql: string): Promise<unknown> =>
    db.query(`ALTER TABLE audit_log DISABLE TRIGGER USER; ${sql}; ALTER TABLE audit_log ENABLE TRIGGER USER`);
  const fault = async (): Promise<unknown> => (await verify.run()).fault;

  it('seals every row, and is intact', async () => {
    await insert(11);
    expect(await verify.run()).to.deep.include({ intact: true, rows: 0, unsealed: 11 });
    expect(await chain.run()).to.equal(11);
    expect(await chain.run()).to.equal(0);
    await insert(2);
    await chain.run();
    const { head, ...found } = await verify.run();
    expect(found).to.deep.equal({ intact: true, rows: 13, unsealed: 0, pruned_up_to: 0, fault: null });
    expect(head.sequence).to.equal(13);
  });

  it('is one chain when several processes seal at the same moment', async () => {
    await insert(60);
    const others = [1, 2, 3].map(() => new AuditChain({ db, cipher, clock: systemClock, batchRows: 4 }));
    const writing = insert(20);
    const counts = await Promise.all(others.map((other) => other.run()));
    await writing;
    counts.push(await chain.run());
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(80);
    expect(await verify.run()).to.deep.include({ intact: true, rows: 80, unsealed: 0 });
  });

  it('lets nobody change or delete rows', async () => {
    await insert(2);
    await chain.run();
    for (const sql of [
      `UPDATE audit_log SET ip = '::2'`,
      `UPDATE audit_log SET chain_sequence = chain_sequence + 10`,
      `DELETE FROM audit_log`,
      `TRUNCATE audit_log`,
    ]) {
      const refused = await db.query(sql).catch((error: unknown) => String(error));
      expect(refused, sql).to.contain('append-only');
    }
    await insert(1);
    const refused = await db
      .query(`UPDATE audit_log SET ip = '::2', chain_sequence = 3, chain_hash = 'x' WHERE chain_sequence IS NULL`)
      .catch((error: unknown) => String(error));
    expect(refused).to.contain('append-only');
    await chain.run();
    expect(await verify.run()).to.deep.include({ intact: true, rows: 3 });
  });

  it('finds what somebody changed who owns the database', async () => {
    await insert(9);
    await chain.run();
    const whole = await verify.run();
    await forge(`UPDATE audit_log SET details = '{"a": ["ج", null], "b": 1.51}' WHERE chain_sequence = 5`);
    expect(await verify.run()).to.deep.include({ rows: 4, fault: { kind: 'changed', sequence: 5 } });
    await forge(`UPDATE audit_log SET details = '{"a": ["ج", null], "b": 1.5}' WHERE chain_sequence = 5`);
    expect(await fault()).to.equal(null);
    await forge('DELETE FROM audit_log WHERE chain_sequence = 3');
    expect(await fault()).to.deep.equal({ kind: 'missing', sequence: 3 });
    expect(whole.fault).to.equal(null);
  });

  it('finds rows that are missing at either end, or were added behind the last', async () => {
    await insert(6);
    await chain.run();
    await forge('DELETE FROM audit_log WHERE chain_sequence > 4');
    expect(await fault()).to.deep.equal({ kind: 'cut_off', sequence: null });
    await insert(1);
    await chain.run();
    expect(await fault()).to.deep.equal({ kind: 'missing', sequence: 5 });
    await db.query(`UPDATE audit_chain SET pruned_sequence = 6, pruned_hash = head_hash`);
    expect(await fault()).to.deep.equal({ kind: 'ends', sequence: null });
  });

  it('finds rows that carry a number without a chain', async () => {
    await insert(1);
    await db.query(`UPDATE audit_log SET chain_sequence = 1, chain_hash = 'forged'`);
    expect(await fault()).to.deep.equal({ kind: 'added', sequence: null });
  });

  it('finds a whole chain that was set back to an earlier one, by a row that was noted', async () => {
    await insert(3);
    await chain.run();
    const [before] = await db.query<{ row: string }>('SELECT to_jsonb(audit_chain)::text AS row FROM audit_chain');
    await insert(2);
    await chain.run();
    const { head } = await verify.run();
    await forge('DELETE FROM audit_log WHERE chain_sequence > 3');
    await db.query('DELETE FROM audit_chain');
    await db.query('INSERT INTO audit_chain SELECT * FROM jsonb_populate_record(NULL::audit_chain, $1::jsonb)', [
      before?.row,
    ]);
    expect(await fault()).to.equal(null);
    expect((await verify.run(head)).fault).to.deep.equal({ kind: 'cut_off', sequence: null });
  });

  it('survives retention, which deletes its beginning only, and never a row that is not sealed', async () => {
    await insert(5, 400);
    await chain.run();
    await insert(2, 10);
    await insert(1, 500);
    await chain.run();
    await insert(1, 500);
    const before = new Date(Date.now() - 365 * DAY_MS);
    expect(await chain.prune(before, 3)).to.equal(3);
    expect(await chain.prune(before, 3)).to.equal(2);
    // The next row is younger, so the older one behind it stays for now.
    expect(await chain.prune(before, 3)).to.equal(0);
    expect(await verify.run()).to.deep.include({ intact: true, rows: 3, unsealed: 1, pruned_up_to: 5 });
    await chain.run();
    expect(await chain.prune(new Date(Date.now() + 1000), 100)).to.equal(4);
    await insert(1);
    await chain.run();
    expect(await verify.run()).to.deep.include({ intact: true, rows: 1, pruned_up_to: 9 });
  });

  it('is checked by the command', async () => {
    const command = await HatifCommand.over(database.url);
    try {
      await ownerIn(db);
      await insert(3);
      await chain.run();
      const intact = await command.run(['audit', 'verify']);
      expect(intact.stdout)
        .to.contain('The audit log is intact')
        .and.match(/newest row +3:[\w-]{43}/);
      const noted = /3:[\w-]{43}/.exec(intact.stdout)?.[0] ?? '';
      expect((await command.run(['audit', 'verify', '--noted', noted])).code).to.equal(0);
      await forge(`UPDATE audit_log SET path = '/v1/y' WHERE chain_sequence = 2`);
      const broken = await command.run(['audit', 'verify']);
      expect(broken.code).to.equal(1);
      expect(broken.stderr).to.contain('row 2 was changed');
      expect((await command.run(['audit', 'verify', '--noted', '3'])).code).to.equal(2);
    } finally {
      await command.close();
    }
  });
});
