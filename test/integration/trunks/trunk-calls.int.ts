import { expect } from 'chai';
import { TrunkCalls } from '../../../core/data/repositories/engines/trunk-calls.js';
import { TrunkRates } from '../../../core/data/repositories/engines/trunk-rates.js';
import { TrunkRoutes } from '../../../core/data/repositories/engines/trunk-routes.js';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import type { LegRow, TrunkRow } from '../../../core/data/rows.js';
import type { MediaQuality } from '../../../core/model/call/quality.js';
import { newId } from '../../../core/model/ids.js';
import { withRatios } from '../../../core/services/trunks/figures.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { directoryOn } from '../../support/rows/directory.js';
import { callRow, groundIn, insertRows, legRow, type Ground } from '../../support/rows/rows.js';
import { trunkRow } from '../../support/rows/trunk-row.js';

const NUMBER = '+966501234517';

describe('trunks in the database', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let ground: Ground;
  let calls: TrunkCalls;

  before(async () => {
    database = await testDatabase();
    ground = await groundIn(database.db);
    calls = new TrunkCalls(database.db);
  });
  after(() => database.close());

  async function trunk(changes: Partial<TrunkRow> = {}): Promise<TrunkRow> {
    const row = trunkRow(newId(), { is_default: false, ...changes });
    await new Trunks(database.db).create(row);
    return row;
  }
  /** A call with one leg to the number through the trunk. */
  async function leg(trunkId: string, changes: Partial<LegRow> = {}, endpoint: object = {}): Promise<LegRow> {
    const call = callRow(ground);
    const to = { type: 'trunk', trunkId, number: NUMBER, ...endpoint };
    const row = legRow(call.id, { endpoint: to, number: NUMBER, ...changes });
    await insertRows(database.db, 'calls', [call]);
    await insertRows(database.db, 'legs', [row]);
    return row;
  }

  describe('room for calls', () => {
    it('is taken by at most as many legs as the trunk carries, however many ask at the same moment', async () => {
      const { id } = await trunk();
      const asked = Array.from({ length: 20 }, () => calls.take(newId(), id, 7));
      expect((await Promise.all(asked)).filter((isFree) => isFree)).to.have.length(7);
      expect(await calls.take(newId(), id, 7)).to.equal(false);
      expect(await calls.take(newId(), id, 8)).to.equal(true);
    });

    it('counts live legs in both directions, and a leg with its seat once', async () => {
      const { id } = await trunk();
      await leg(id, { status: 'answered', ended_at: null });
      await leg(id, { status: 'ringing', ended_at: null }, { number: undefined });
      expect(await calls.take(newId(), id, 2)).to.equal(false);
      const seated = newId();
      expect(await calls.take(seated, id, 3)).to.equal(true);
      expect(await calls.take(seated, id, 3), 'a repeat').to.equal(true);
      await leg(id, { id: seated, status: 'created', ended_at: null });
      expect(await calls.take(newId(), id, 3)).to.equal(false);
      expect(await calls.take(newId(), id, 4)).to.equal(true);
    });

    it('is free again when the leg has ended', async () => {
      const { id } = await trunk();
      const seated = newId();
      expect(await calls.take(seated, id, 1)).to.equal(true);
      await leg(id, { id: seated, status: 'ended', ended_at: new Date() });
      expect(await calls.take(newId(), id, 1)).to.equal(true);
    });

    it('is free again a minute after a leg that was never stored', async () => {
      const { id } = await trunk();
      expect(await calls.take(newId(), id, 1)).to.equal(true);
      expect(await calls.take(newId(), id, 1)).to.equal(false);
      await database.db.query(
        `UPDATE trunk_seats SET taken_at = taken_at - interval '61 seconds' WHERE trunk_id = $1`,
        [id],
      );
      expect(await calls.take(newId(), id, 1)).to.equal(true);
    });
  });

  describe('figures', () => {
    it('come from the legs that were dialled and ended within the time', async () => {
      const { id } = await trunk({ capacity: 30 });
      const end = new Date('2026-11-26T09:00:00Z');
      const at = (seconds: number): Date => new Date(end.getTime() + seconds * 1000);
      const quality = { mos: 4 } as MediaQuality;
      const answered = { status: 'ended', created_at: at(-100), ringing_at: at(-98), answered_at: at(-90) } as const;
      await leg(id, { ...answered, ended_at: at(-30), quality });
      await leg(id, { ...answered, ringing_at: null, answered_at: at(-96), ended_at: at(-36) });
      const failed = { status: 'ended', created_at: at(-20), ringing_at: null, answered_at: null } as const;
      const first = await leg(id, { ...failed, ended_at: at(-19), hangup_sip_code: 503, hangup_q850: 41 });
      await insertRows(database.db, 'legs', [
        legRow(first.call_id, {
          ...{ status: 'ended', created_at: at(-19), ended_at: at(-10) },
          endpoint: { type: 'trunk', trunkId: newId(), number: NUMBER, after: first.id },
        }),
      ]);
      await leg(id, { ...failed, ended_at: at(-19), hangup_sip_code: 486, hangup_q850: 17 });
      await leg(id, { ...failed, ringing_at: at(-18), ended_at: at(-10), hangup_sip_code: 503 });
      // Neither an incoming leg, one to a phone at another engine, one outside of the time, nor one that continues.
      await leg(id, { ...answered, ended_at: at(-30) }, { number: undefined });
      await leg(id, { ...answered, ended_at: at(-30) }, { aor: 'agent' });
      await leg(id, { ...answered, ended_at: at(0) });
      await leg(id, { status: 'answered', ended_at: null });
      const figures = (await calls.figures(at(-3600), end)).find(({ trunk_id }) => trunk_id === id)!;
      expect(figures).to.include({ capacity: 30, live_calls: 1, attempts: 5, answered: 2, failed: 1, rerouted: 1 });
      expect(figures).to.include({ talk_seconds: 120, mos: 4 });
      // 2, 4 and 2 seconds.
      expect(figures.pdd_seconds).to.be.closeTo(8 / 3, 0.001);
      expect(withRatios(figures)).to.include({ asr: 0.4, acd_seconds: 60 });
    });

    it('of a call name its attempts in their order', async () => {
      const one = await trunk();
      const first = await leg(one.id, { status: 'ended', hangup_sip_code: 503 });
      await insertRows(database.db, 'legs', [
        legRow(first.call_id, {
          created_at: new Date(first.created_at.getTime() + 1),
          endpoint: { type: 'trunk', trunkId: newId(), number: NUMBER, after: first.id },
        }),
      ]);
      const attempts = await calls.attempts(first.call_id);
      expect(attempts.map(({ trunk: name, after, hangup_sip_code }) => [name, after, hangup_sip_code])).to.deep.equal([
        [one.name, null, 503],
        [null, first.id, null],
      ]);
    });
  });

  it('are ordered by what their carriers charge for the number', async () => {
    const [dear, cheap] = [await trunk(), await trunk()];
    const rates = new TrunkRates(database.db);
    const routes = new TrunkRoutes(database.db);
    await rates.replace(dear.id, [
      { prefix: '966', per_minute: 10 },
      { prefix: '9665', per_minute: 90 },
    ]);
    await rates.replace(cheap.id, [{ prefix: '966', per_minute: 50 }]);
    for (const { id } of [dear, cheap]) {
      await routes.add({
        ...{
          id: newId(),
          organization_id: null,
          trunk_id: id,
          prefix: '',
          hours: null,
          priority: 1,
          weight: 1,
          cost: null,
        },
        created_at: new Date(),
      });
    }
    const directory = directoryOn(database.db);
    const order = async (number: string): Promise<string[]> =>
      (await directory.trunksTo(ground.projectId, number)).map(({ trunkId }) => trunkId);
    expect(await order(NUMBER), 'a mobile number').to.deep.equal([cheap.id, dear.id]);
    expect(await order('+966112345678')).to.deep.equal([dear.id, cheap.id]);
    await new Trunks(database.db).change(cheap.id, { foreign_numbers: false });
    directory.invalidate();
    expect(await order('+442079460000'), 'a foreign number').to.deep.equal([dear.id]);
    expect(await directory.carriesForeign()).to.equal(true);
    await new Trunks(database.db).change(dear.id, { enabled: false });
    directory.invalidate();
    expect(await order('+442079460000')).to.deep.equal([]);
    expect(await directory.carriesForeign()).to.equal(false);
    await new Trunks(database.db).remove(dear.id);
    expect(await routes.list(), 'a route goes with its trunk').to.have.length(1);
  });

  it('carry emergency calls by the default one, full or not', async () => {
    const usual = await trunk({ is_default: true, capacity: 1 });
    const directory = directoryOn(database.db);
    expect(await directory.trunksTo(ground.projectId, '911')).to.deep.equal([{ trunkId: usual.id, capacity: null }]);
    await new Trunks(database.db).change(usual.id, { is_default: false });
    directory.invalidate();
    expect(await directory.trunksTo(ground.projectId, '911'), 'any other').to.have.length(1);
  });
});
