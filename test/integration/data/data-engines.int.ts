import { expect } from 'chai';

import { CallWriter } from '../../../core/data/call-writer.js';
import type { Database } from '../../../core/data/database.js';
import { Engines } from '../../../core/data/repositories/engines/engines.js';
import { newId } from '../../../core/model/ids.js';
import { testDatabase } from '../../support/platform/database.js';
import { engineEach } from '../../support/platform/engines.js';
import { callRow, effectOf, engineRow, groundIn } from '../../support/rows/rows.js';

const LONG = 60_000;
const UP = { status: 'up', bootId: 'boot-1', version: '22.1', sip: 'up' } as const;

describe('engines and their leases', function () {
  this.timeout(30_000);
  let db: Database;
  let engines: Engines;
  let id: string;
  engineEach((made) => ({ db, engines, id } = made));

  /** Simulates the passage of time: moves the lease's end into the past. */
  const expire = () =>
    db.query(`UPDATE engines SET lease_expires_at = clock_timestamp() - interval '1 ms' WHERE id = $1`, [id]);

  it('are found again by name', async () => {
    const name = `engine-${newId()}`;
    const made = await engines.upsert(name, 'simulator');
    const fresh = { id: made.id, name, kind: 'simulator', status: 'unreachable', epoch: 0 } as const;
    expect(made).to.deep.equal(engineRow(fresh));
    await engines.acquire(made.id, 'a', LONG);
    expect(await engines.upsert(name, 'simulator')).to.include({ id: made.id, owner: 'a', epoch: 1 });
  });

  it('have one owner at a time, each with a higher epoch', async () => {
    expect(await engines.acquire(id, 'a', LONG)).to.equal(1);
    expect(await engines.acquire(id, 'b', LONG)).to.equal(null);
    expect(await engines.acquire(id, 'a', LONG), 'its own lease again').to.equal(2);
    await expire();
    expect(await engines.acquire(id, 'b', LONG)).to.equal(3);
    expect(await engines.acquire(id, 'a', LONG)).to.equal(null);
    expect(await engines.get(id)).to.include({ owner: 'b', epoch: 3 });
    expect(await engines.acquire(newId(), 'a', LONG), 'an unknown engine').to.equal(null);
  });

  for (const [name, prepare] of [
    ['a free engine', () => Promise.resolve()],
    ['an expired lease', () => engines.acquire(id, 'dead', LONG).then(expire)],
  ] as const) {
    it(`let exactly one of many concurrent candidates win ${name}`, async () => {
      await prepare();
      const before = (await engines.get(id))!.epoch;
      const owners = Array.from({ length: 10 }, (_, n) => `owner-${n}`);
      const epochs = await Promise.all(owners.map((owner) => engines.acquire(id, owner, LONG)));
      const winners = owners.filter((_, n) => epochs[n] !== null);
      expect(winners).to.have.length(1);
      expect(epochs.filter((epoch) => epoch !== null)).to.deep.equal([before + 1]);
      expect(await engines.get(id)).to.include({ owner: winners[0], epoch: before + 1 });
    });
  }

  it('are taken from a dead owner while its lease runs, by one of many candidates', async () => {
    await engines.acquire(id, 'dead', LONG);
    const epochs = await Promise.all(
      ['b', 'c', 'd'].map((owner) => engines.acquire(id, owner, LONG, { evenFrom: 'dead' })),
    );
    expect(epochs.filter((epoch) => epoch !== null)).to.deep.equal([2]);
    expect(await engines.acquire(id, 'e', LONG, { evenFrom: 'dead' })).to.equal(null);
  });

  it('can be renewed by their owner only, which stores the engine’s state', async () => {
    const epoch = (await engines.acquire(id, 'a', LONG))!;
    await expire();
    expect(await engines.renew(id, 'a', epoch, LONG, UP), 'expired, but not taken').to.equal(true);
    expect(await engines.acquire(id, 'b', LONG)).to.equal(null);
    const row = (await engines.get(id))!;
    expect(row).to.include({ status: 'up', boot_id: 'boot-1', version: '22.1' });
    expect(row.seen_at).to.be.instanceOf(Date);
    expect(await engines.renew(id, 'b', epoch, LONG, UP)).to.equal(false);
    expect(await engines.renew(id, 'a', epoch - 1, LONG, UP)).to.equal(false);
    await expire();
    await engines.acquire(id, 'b', LONG);
    expect(await engines.renew(id, 'a', epoch, LONG, { ...UP, status: 'unreachable' })).to.equal(false);
    expect((await engines.get(id))!).to.include({ owner: 'b', status: 'up' });
  });

  it('keep the time they were last up, and its boot id', async () => {
    const epoch = (await engines.acquire(id, 'a', LONG))!;
    await engines.renew(id, 'a', epoch, LONG, UP);
    const seen = (await engines.get(id))!.seen_at;
    await engines.renew(id, 'a', epoch, LONG, { status: 'unreachable', bootId: null, version: null, sip: null });
    expect(await engines.get(id)).to.deep.include({ status: 'unreachable', boot_id: 'boot-1', seen_at: seen });
  });

  it('are free at once when released by their owner, and only then', async () => {
    const epoch = (await engines.acquire(id, 'a', LONG))!;
    await engines.release(id, 'b', epoch);
    await engines.release(id, 'a', epoch + 1);
    expect(await engines.acquire(id, 'b', LONG)).to.equal(null);
    await engines.release(id, 'a', epoch);
    expect(await engines.acquire(id, 'b', LONG)).to.equal(epoch + 1);
  });

  it('are listed with their lease state', async () => {
    const leasedOf = async () => (await engines.list()).find((engine) => engine.id === id)?.leased;
    expect(await leasedOf()).to.equal(false);
    await engines.acquire(id, 'a', LONG);
    expect(await leasedOf()).to.equal(true);
    await expire();
    expect(await leasedOf()).to.equal(false);
  });

  it('are offered for a new call with their load', async () => {
    const own = await testDatabase();
    try {
      const table = new Engines(own.db);
      const ground = await groundIn(own.db);
      await own.db.query('DELETE FROM engines');
      expect(await table.offers(['asterisk'])).to.deep.equal([]);
      const [a, b, down, unowned] = await Promise.all(
        ['a', 'b', 'down', 'unowned'].map((name) => table.upsert(name, 'asterisk')),
      );
      await table.upsert('simulator', 'simulator');
      for (const { id: engineId } of [a!, b!, down!]) {
        await table.acquire(engineId, 'x', LONG);
        await table.renew(engineId, 'x', 1, LONG, engineId === down!.id ? { ...UP, status: 'unreachable' } : UP);
      }
      expect(unowned?.owner).to.equal(null);
      const loads = async (): Promise<object> =>
        Object.fromEntries(
          (await table.offers(['asterisk'])).map(({ name, leased, status, live_calls }) => [
            name,
            [leased, status, live_calls],
          ]),
        );
      const rest = { b: [true, 'up', 0], down: [true, 'unreachable', 0], unowned: [false, 'unreachable', 0] };
      expect(await loads()).to.deep.equal({ a: [true, 'up', 0], ...rest });
      expect(await table.offers(['simulator'])).to.have.length(1);
      const writer = new CallWriter(own.db);
      const live = callRow(ground, { engine_id: a!.id });
      await writer.commit(effectOf(live));
      expect(await loads()).to.deep.equal({ a: [true, 'up', 1], ...rest });
      expect(await table.remove(a!.id), 'with a live call').to.equal(false);
      await writer.commit(effectOf({ ...live, status: 'failed', last_sequence: 2 }));
      expect(await loads(), 'a finished call does not count').to.deep.equal({ a: [true, 'up', 0], ...rest });
      expect(await table.remove(a!.id)).to.equal(true);
      expect(await loads()).to.deep.equal(rest);
      expect(await table.acquire(a!.id, 'x', LONG), 'a removed engine').to.equal(null);
    } finally {
      await own.close();
    }
  });
});
