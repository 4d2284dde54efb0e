import { expect } from 'chai';
import { Calls, type CallScope } from '../../../../core/data/repositories/calls/calls.js';
import type { CallRow } from '../../../../core/data/rows.js';
import { newId } from '../../../../core/model/ids.js';
import { OwnCalls } from '../../../../core/services/calls/own-calls.js';
import { testDatabase, type TestDatabase } from '../../../support/platform/database.js';
import { callRow, groundIn, insertRows, type Ground } from '../../../support/rows/rows.js';

describe('finding a call for control', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let ground: Ground;
  let stored: Calls;

  before(async () => {
    database = await testDatabase();
    ground = await groundIn(database.db);
    stored = new Calls(database.db);
  });
  after(() => database.close());

  /** The calls of a process that owns these, and nothing else: its database has none. */
  function owning(...calls: readonly CallRow[]): OwnCalls {
    const own = new OwnCalls({ get: () => Promise.resolve(null) });
    own.attach({ live: (callId) => calls.find(({ id }) => id === callId) ?? null });
    return own;
  }

  it('in memory finds what the database finds: not those of others, of live keys, of colleagues and of the platform', async () => {
    const calls = [
      callRow(ground),
      callRow(ground, { sandbox: true }),
      callRow(ground, { agent: '1001' }),
      callRow(ground, { sandbox: true, agent: '1002' }),
      callRow(ground, { system: true }),
      callRow(await groundIn(database.db), { agent: '1001' }),
    ];
    await insertRows(database.db, 'calls', calls);
    const own = owning(...calls);
    let found = 0;
    for (const sandboxOnly of [false, true]) {
      for (const agent of [undefined, null, '1001', '1002']) {
        const scope: CallScope = { projectId: ground.projectId, sandboxOnly, ...(agent !== undefined && { agent }) };
        for (const { id } of calls) {
          const known = (await stored.get(scope, id)) !== null;
          expect((await own.get(scope, id)) !== null, JSON.stringify({ scope, id })).to.equal(known);
          found += Number(known);
        }
      }
    }
    expect(found).to.be.greaterThan(10);
  });

  it('returns the row of the owner, which is newer than the stored one', async () => {
    const call = callRow(ground);
    await insertRows(database.db, 'calls', [call]);
    const own = new OwnCalls(stored);
    const detach = own.attach({ live: (callId) => (callId === call.id ? { ...call, status: 'answered' } : null) });
    const scope = { projectId: ground.projectId, sandboxOnly: false };
    expect(await own.get(scope, call.id)).to.include({ id: call.id, status: 'answered' });
    detach();
    expect(await own.get(scope, call.id)).to.include({ id: call.id, status: 'initiated' });
    expect(await own.get(scope, newId())).to.equal(null);
    expect(await own.get(scope, 'no id')).to.equal(null);
  });
});
