import { expect } from 'chai';
import type { InstallationStatus } from '../../../core/services/overview/status.js';
import { newId } from '../../../core/model/ids.js';
import { RefusedCalls } from '../../../core/data/repositories/calls/refused-calls.js';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import { QUEUE } from '../../support/calls/open-queue.js';
import { HatifCommand } from '../../support/command.js';
import { barePlatform, type BarePlatform } from '../../support/platform/bare-platform.js';
import { testRedis, type TestRedis } from '../../support/platform/redis.js';
import { callRow, engineRow, endpointRow, insertRows, ownerIn, type Ground } from '../../support/rows/rows.js';
import { trunkRow } from '../../support/rows/trunk-row.js';
import { queueParts, type QueueParts } from '../../support/stages/queue-stage.js';

const LEASE = { owner: 'process', lease_expires_at: new Date(Date.now() + 3_600_000) };

describe('hatif status', function () {
  this.timeout(120_000);
  let redis: TestRedis;
  let bare: BarePlatform;
  let ground: Ground;
  let queues: QueueParts;
  let command: HatifCommand;

  before(async () => {
    redis = await testRedis();
    bare = await barePlatform('api,jobs', {}, { redisUrl: redis.url });
    const { db } = bare.database;
    ground = { ...(await ownerIn(db)), engineId: newId() };
    queues = queueParts(db);
    command = await HatifCommand.over(bare.database.url, { REDIS_URL: redis.url });
  });
  after(async () => {
    await command.close();
    await queues.coordinator.stop();
    await bare.close();
    await redis.close();
  });

  it('is fine without engines, and says what there is not', async () => {
    const { code, stdout } = await command.run(['status']);
    expect(code, stdout).to.equal(0);
    expect(stdout).to.match(
      /database +up\nredis +up\nengines +off\nsip +off\njobs +up\ncertificate +off\ncalls now +0/,
    );
    for (const none of ['There is no engine.', 'There is no trunk.', 'No phone is registered.', 'No call was refused'])
      expect(stdout).to.contain(none);
  });

  it('shows engines, trunks, phones, calls, queues, refused calls and failing webhooks', async () => {
    const { db } = bare.database;
    const { projectId, organizationId, engineId } = ground;
    await insertRows(db, 'engines', [engineRow({ id: engineId, name: 'pbx', version: '22.1', ...LEASE })]);
    await new Trunks(db).create(trunkRow('carrier'));
    await insertRows(db, 'calls', [callRow(ground, { status: 'answered' }), callRow(ground, { status: 'ended' })]);
    for (const agent of ['1001', '1002', '1003'])
      await queues.agents.add({ id: projectId, organization_id: organizationId }, agent, 'Reem');
    await db.query(`INSERT INTO softphone_registrations (engine_id, aor) VALUES ($1, '1001'), ($1, '1002')`, [
      engineId,
    ]);
    const { id } = await queues.queues.create({ projectId, organizationId }, QUEUE);
    for (const agent of ['1001', '1002', '1003']) await queues.signIn.login(projectId, agent, 'sales');
    // One of the two registered phones rings for the caller.
    await queues.coordinator.notify(projectId, () => [{ type: 'entered', callId: newId(), queueId: id }]);
    const at = new Date();
    await new RefusedCalls(db).add([
      {
        ...{ engine_id: engineId, hour: at, reason: 'unknown_number', source: 'inside', source_id: '' },
        ...{ dialled: '+966112223344', caller_masked: null, q850: 1, calls: 2, first_at: at, last_at: at },
      },
    ]);
    await insertRows(db, 'webhook_endpoints', [
      endpointRow(ground),
      endpointRow(ground, { failing_since: at }),
      endpointRow(ground, { status: 'disabled', disabled_reason: 'requested' }),
    ]);
    const status = (await command.json('status')) as InstallationStatus;
    expect(status.parts).to.deep.equal({
      ...{ database: 'up', redis: 'up', engines: 'up', sip: 'up', jobs: 'up' },
      certificate: 'off',
    });
    expect(status.engines).to.deep.equal([
      { name: 'pbx', kind: 'asterisk', version: '22.1', state: 'up', live_calls: 1 },
    ]);
    expect(status.trunks).to.deep.equal([{ name: 'carrier', state: 'unknown', is_default: true }]);
    expect(status.phones).to.deep.include({ registered: 2, total: 3 });
    expect(status.phones.first.map(({ agent }) => agent)).to.deep.equal(['1001', '1002']);
    expect(status.live_calls).to.equal(1);
    expect(status.refused).to.have.length(1);
    expect(status.webhooks.troubled).to.have.length(1);
    expect(status.queues).to.have.length(1);
    expect(status.queues[0]).to.include({ queue: 'sales', project_id: projectId, waiting: 1 });
    expect(status.queues[0]).to.include({ available: 1, logged_in: 3 });
    const { stdout } = await command.run(['status']);
    expect(stdout)
      .to.match(/pbx +asterisk +22\.1 +up +1/)
      .and.match(/1001 +Reem +Test/)
      .and.match(/sales +Test +1 +\d+ s +1 +3/)
      .and.match(/2 +\+966112223344 +inside +unknown_number/)
      .and.match(/FAILING WEBHOOK/);
  });

  it('ends with 1 if an engine is down', async () => {
    const { db } = bare.database;
    await insertRows(db, 'engines', [engineRow({ name: 'other', ...LEASE, status: 'unreachable' })]);
    const { code, stdout, stderr } = await command.run(['status', '--json']);
    expect(code).to.equal(1);
    expect(stderr).to.contain('Down: engines.');
    const { parts } = JSON.parse(stdout) as InstallationStatus;
    expect(parts, 'phones reach the other one').to.include({ engines: 'down', sip: 'up' });
  });

  it('ends with 1 without Redis', async () => {
    const { code, stderr } = await command.run(['status'], { env: { REDIS_URL: 'redis://127.0.0.1:1' } });
    expect(code).to.equal(1);
    expect(stderr).to.match(/Down: redis, engines, jobs\.\n.*npm start/);
  });

  it('ends with 1 without the database, and knows nothing else', async () => {
    const { code, stdout } = await command.run(['status', '--json'], {
      env: { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' },
    });
    expect(code).to.equal(1);
    expect((JSON.parse(stdout) as InstallationStatus).parts).to.include({ database: 'down', redis: 'unknown' });
  });
});
