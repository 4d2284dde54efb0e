import { expect } from 'chai';
import { Registry } from 'prom-client';
import { Queues } from '../../../core/data/repositories/queues/queues.js';
import { newId } from '../../../core/model/ids.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { queueObserver, registerQueueGauges } from '../../../main/metrics/queue-metrics.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { eventually } from '../../support/eventually.js';
import { QUEUE } from '../../support/calls/open-queue.js';
import { queueParts, type QueueParts } from '../../support/stages/queue-stage.js';
import { callRow, groundIn, insertRows, type Ground } from '../../support/rows/rows.js';

describe('metrics of queues', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let ground: Ground;
  let clock: VirtualClock;
  let registry: Registry;
  let parts: QueueParts;
  let queueId: string;

  before(async () => {
    database = await testDatabase();
  });
  after(() => database.close());
  beforeEach(async () => {
    const { db } = database;
    ground = await groundIn(db);
    clock = new VirtualClock(new Date());
    registry = new Registry();
    const queues = new Queues(db);
    parts = queueParts(
      db,
      clock,
      queueObserver(registry, (id) => queues.getIncludingRemoved(id)),
    );
    registerQueueGauges({ registry, queues: () => queues.all(), coordinator: parts.coordinator, clock });
    const { organizationId, projectId } = ground;
    queueId = (await parts.queues.create({ organizationId, projectId }, QUEUE)).id;
    const { agent } = await parts.agents.add({ id: projectId, organization_id: organizationId }, '1001');
    await db.query(`INSERT INTO softphone_registrations (engine_id, aor) VALUES ($1, $2)`, [
      ground.engineId,
      agent.aor,
    ]);
    await parts.signIn.login(projectId, '1001', 'sales');
  });
  afterEach(() => parts.coordinator.stop());

  const enter = async (): Promise<string> => {
    const row = callRow(ground, { kind: 'inbound', status: 'ringing' });
    await insertRows(database.db, 'calls', [row]);
    await parts.coordinator.notify(ground.projectId, () => [{ type: 'entered', callId: row.id, queueId }]);
    return row.id;
  };
  const lines = async (): Promise<string[]> => (await registry.metrics()).split('\n');
  const own = (name: string, value: number, more = '') =>
    `${name}{project="${ground.projectId}",queue="sales"${more}} ${value}`;

  it('report waiting callers, their waits, and agents by state', async () => {
    await enter();
    await enter();
    await clock.advance(7_000);
    expect(await lines()).to.include.members([
      own('hatif_queue_waiting', 2),
      own('hatif_queue_longest_wait_seconds', 7),
      own('hatif_queue_agents', 1, ',state="ringing"'),
      own('hatif_queue_agents', 0, ',state="idle"'),
    ]);
    await parts.signIn.pause(ground.projectId, '1001', null);
    expect(await lines()).to.include(own('hatif_queue_agents', 1, ',state="paused"'));
  });

  it('count offers and outcomes of waits, and measure decision time', async () => {
    const callId = await enter();
    await parts.coordinator.notify(ground.projectId, () => [
      { type: 'answered', callId, agent: '1001', legId: newId() },
    ]);
    const second = await enter();
    await parts.coordinator.notify(ground.projectId, () => [{ type: 'left', callId: second }]);
    await eventually(
      async () => (await lines()).includes(own('hatif_queue_waits_ended_total', 1, ',outcome="abandoned"')),
      'it is counted',
    );
    const current = await lines();
    expect(current).to.include.members([
      own('hatif_queue_offers_total', 1),
      own('hatif_queue_waits_ended_total', 1, ',outcome="answered"'),
    ]);
    const [count] = current.filter((line) => line.startsWith('hatif_queue_dispatch_seconds_count'));
    expect(Number(count?.split(' ')[1])).to.be.at.least(4);
  });

  it('omit the queues while the database is unavailable', async () => {
    const scraped = new Registry();
    const queues = (): Promise<never> => Promise.reject(new Error('the database is unavailable'));
    registerQueueGauges({ registry: scraped, queues, coordinator: parts.coordinator, clock });
    expect((await scraped.metrics()).split('\n').filter((line) => line.startsWith('hatif_queue'))).to.deep.equal([]);
  });
});
