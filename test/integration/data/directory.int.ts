import { expect } from 'chai';
import { Database } from '../../../core/data/database.js';
import { DatabaseUnavailable } from '../../../core/data/errors.js';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import { BlockedCallers } from '../../../core/data/repositories/numbers/blocked-callers.js';
import { newId } from '../../../core/model/ids.js';
import type { BlockedEntry } from '../../../core/model/number/blocked-caller.js';
import type { CachedDirectory } from '../../../core/services/routing/directory.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { directoryOn } from '../../support/rows/directory.js';
import { groundIn } from '../../support/rows/rows.js';
import { trunkRow } from '../../support/rows/trunk-row.js';
import { TcpProxy } from '../../support/peers/tcp-proxy.js';

describe('the routing directory', () => {
  let database: TestDatabase;
  let cable: TcpProxy;
  let db: Database;
  let directory: CachedDirectory;

  before(async () => {
    database = await testDatabase();
    const url = new URL(database.url);
    cable = await TcpProxy.start(url.hostname, Number(url.port));
    url.host = `127.0.0.1:${cable.port}`;
    db = Database.open(url.href);
    directory = directoryOn(db);
    await addDefaultTrunk('first');
  });
  after(async () => {
    await db.close();
    await cable.close();
    await database.close();
  });
  afterEach(() => cable.restore());

  async function addDefaultTrunk(name: string): Promise<void> {
    const row = trunkRow(name);
    names.set(row.id, name);
    await new Trunks(database.db).create(row);
  }

  const names = new Map<string, string>();
  const defaultTrunk = async (): Promise<string | undefined> => {
    const [trunk] = await directory.trunksTo(newId(), '+966501234517');
    return names.get(trunk?.trunkId ?? '');
  };

  it('caches a lookup for a moment, until a change is announced', async () => {
    expect(await defaultTrunk()).to.equal('first');
    await addDefaultTrunk('second');
    expect(await defaultTrunk()).to.equal('first');
    directory.invalidate();
    expect(await defaultTrunk()).to.equal('second');
  });

  it('does not cache a lookup that was running when a change was announced', async () => {
    directory.invalidate();
    const early = defaultTrunk();
    directory.invalidate();
    await early;
    await addDefaultTrunk('third');
    expect(await defaultTrunk()).to.equal('third');
  });

  it('uses its last result while the database is unavailable, even after a change was announced', async () => {
    const seen = await defaultTrunk();
    directory.invalidate();
    cable.cut();
    expect(await defaultTrunk()).to.equal(seen);
  });

  it('blocks callers who were looked up before while the database is unavailable, and lets others pass', async () => {
    const { projectId } = await groundIn(database.db);
    const entry = (number: string): BlockedEntry => ({ kind: 'exact', number });
    const isBlocked = async (number: string): Promise<boolean> =>
      (await directory.blockOf(projectId, null, [entry(number)])) !== null;
    const table = new BlockedCallers(database.db);
    for (const number of ['+442071838750', '+442071838751']) {
      const owner = { id: newId(), project_id: projectId, agent: null, sandbox: false };
      await table.add({ ...owner, ...entry(number), note: null, created_at: new Date() }, 10);
    }
    expect(await isBlocked('+442071838750')).to.equal(true);
    directory.invalidate();
    cable.cut();
    expect(await isBlocked('+442071838750')).to.equal(true);
    expect(await isBlocked('+442071838751')).to.equal(false);
  });

  it('fails for a number that it never looked up', async () => {
    cable.cut();
    const error = await directory.numberByE164('+966115550199').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(DatabaseUnavailable);
  });
});
