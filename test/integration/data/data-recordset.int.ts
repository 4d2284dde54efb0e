import { expect } from 'chai';
import { recordsetOf, recordsetValues, splitRecords } from '../../../core/data/recordset.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';

describe('the rows of a statement', function () {
  this.timeout(30_000);
  let database: TestDatabase;

  before(async () => {
    database = await testDatabase();
    await database.db.query(
      `CREATE TABLE recordset_rows (id integer, name text, at timestamptz(3), data jsonb, list text[], amount bigint)`,
    );
  });
  after(() => database.close());

  it('are stored as they are, whatever they share', async () => {
    const at = new Date('2026-11-27T09:00:00.123Z');
    const own = { at: new Date(0), data: { a: [1] }, list: ['x'], amount: 2 };
    const sets: readonly (readonly object[])[] = [
      [{ id: 1, name: 'alone', at, data: { nested: { a: null } }, list: ['a', 'b'], amount: 9007199254740991 }],
      // The same columns; those of the second one that differ; and a member that only one of them has.
      [
        { id: 1, name: 'x', at, data: {}, list: null, amount: 1 },
        { id: 2, name: 'x', at: new Date(at), data: {}, list: null, amount: 1 },
      ],
      [
        { id: 1, name: 'x', at, data: null, list: [], amount: 1 },
        { id: 2, name: null, ...own },
      ],
      [{ id: 1 }, { id: 2, name: 'only one', ...own }],
      [
        { id: 1, data: { a: { b: 1 } } },
        { id: 2, data: { a: { b: 2 } } },
      ],
    ];
    for (const rows of sets) {
      const stored = await database.db.query(
        `WITH stored AS (INSERT INTO recordset_rows SELECT * FROM ${recordsetOf('recordset_rows')} RETURNING *)
         SELECT * FROM stored ORDER BY id`,
        recordsetValues(rows),
        { prepared: true },
      );
      const nothing = { name: null, at: null, data: null, list: null, amount: null };
      expect(stored).to.deep.equal(rows.map((row) => ({ ...nothing, ...row })));
    }
    const none = await database.db.query(`SELECT * FROM ${recordsetOf('recordset_rows')}`, recordsetValues([]));
    expect(none).to.deep.equal([]);
  });

  it('are split into what all have in common and the rest', () => {
    const at = new Date();
    const records = [
      { same: 'a', at, kind: { x: 1 }, own: 1, deep: { y: { z: 1 } } },
      { same: 'a', at: new Date(at), kind: { x: 1 }, own: 2, deep: { y: { z: 1 } } },
    ];
    const { own, shared } = splitRecords(records);
    expect(shared).to.deep.equal({ same: 'a', at, kind: { x: 1 } });
    expect(own).to.deep.equal(records.map(({ own: value, deep }) => ({ own: value, deep })));
  });
});
