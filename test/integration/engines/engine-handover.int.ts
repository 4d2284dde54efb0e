import { expect } from 'chai';
import type { Database } from '../../../core/data/database.js';
import type { Engines } from '../../../core/data/repositories/engines/engines.js';
import { webhookBacklog } from '../../../core/data/repositories/webhooks/webhook-backlog.js';
import { newId } from '../../../core/model/ids.js';
import { testDatabase } from '../../support/platform/database.js';
import { engineEach } from '../../support/platform/engines.js';
import { callRow, eventOf, groundIn, insertRows } from '../../support/rows/rows.js';

const LONG = 60_000;

describe('the handover of an engine', function () {
  this.timeout(30_000);
  let db: Database;
  let engines: Engines;
  let id: string;
  engineEach((made) => ({ db, engines, id } = made));
  beforeEach(() => engines.acquire(id, 'old', LONG));

  const leased = async (): Promise<boolean | undefined> => (await engines.list()).find((one) => one.id === id)?.leased;

  /** Simulates that the candidate has been silent for this long. */
  const silent = (seconds: number): Promise<object[]> =>
    db.query(`UPDATE engine_candidates SET seen_at = seen_at - $1 * interval '1 second' WHERE engine_id = $2`, [
      seconds,
      id,
    ]);

  it('passes it to the waiting process without a gap in ownership', async () => {
    await engines.apply(id, 'new');
    expect(await engines.isSharedWith(id, 'old')).to.equal(true);
    await engines.release(id, 'old', 1);
    expect(await engines.get(id)).to.include({ owner: 'new', epoch: 1 });
    expect(await leased()).to.equal(true);
    expect(await engines.acquire(id, 'third', LONG), 'another process').to.equal(null);
    expect(await engines.acquire(id, 'new', LONG)).to.equal(2);
    expect(await engines.isSharedWith(id, 'new')).to.equal(false);
    expect(await engines.isSharedWith(id, 'old')).to.equal(true);
  });

  it('releases it if no candidate is waiting, or the candidate is gone', async () => {
    expect(await engines.isSharedWith(id, 'old')).to.equal(false);
    await engines.apply(id, 'new');
    await silent(6);
    expect(await engines.isSharedWith(id, 'old')).to.equal(false);
    await engines.release(id, 'old', 1);
    expect(await engines.get(id)).to.include({ owner: null, lease_expires_at: null });
  });

  it('does not give it to a candidate that no longer waits', async () => {
    await engines.apply(id, 'new');
    await engines.withdraw(id, 'another');
    expect(await engines.isSharedWith(id, 'old')).to.equal(true);
    await engines.withdraw(id, 'new');
    expect(await engines.isSharedWith(id, 'old')).to.equal(false);
  });

  it('is refused to a process that does not own the engine', async () => {
    await engines.apply(id, 'new');
    await engines.release(id, 'old', 0);
    await engines.release(id, 'another', 1);
    expect(await engines.get(id)).to.include({ owner: 'old', epoch: 1 });
  });

  it('releases the engine again if the candidate dies before taking it', async () => {
    await engines.apply(id, 'new');
    await engines.release(id, 'old', 1);
    await db.query(`UPDATE engines SET lease_expires_at = lease_expires_at - interval '6 seconds' WHERE id = $1`, [id]);
    expect(await engines.acquire(id, 'third', LONG)).to.equal(2);
  });
});

describe('the backlog of webhooks', function () {
  this.timeout(30_000);

  it('is the number of pending deliveries, and the age of the oldest', async () => {
    const database = await testDatabase();
    try {
      const { db } = database;
      expect(await webhookBacklog(db)).to.deep.equal({ pending: 0, oldestDueSeconds: 0 });
      const ground = await groundIn(db);
      const call = callRow(ground);
      const event = eventOf(call);
      await insertRows(db, 'calls', [call]);
      await insertRows(db, 'events', [event]);
      const delivery = (status: string, dueInSeconds: number): object => ({
        id: newId(),
        event_id: event.id,
        lane: 'x',
        url: 'https://example.com',
        project_id: ground.projectId,
        status,
        attempts: 0,
        next_attempt_at: new Date(Date.now() + dueInSeconds * 1000),
        created_at: new Date(),
      });
      await insertRows(db, 'webhook_deliveries', [
        delivery('pending', 3_600),
        delivery('dead', -9_000),
        delivery('delivered', -9_000),
      ]);
      expect(await webhookBacklog(db), 'nothing is due').to.deep.equal({ pending: 1, oldestDueSeconds: 0 });
      await insertRows(db, 'webhook_deliveries', [delivery('pending', -300), delivery('pending', -100)]);
      const { pending, oldestDueSeconds } = await webhookBacklog(db);
      expect(pending).to.equal(3);
      expect(oldestDueSeconds).to.be.within(300, 360);
    } finally {
      await database.close();
    }
  });
});
