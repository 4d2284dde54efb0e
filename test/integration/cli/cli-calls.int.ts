import { expect } from 'chai';
import { RedisCommandBus } from '../../../adapters/commands/redis-bus.js';
import { connectRedis } from '../../../adapters/jobs/redis.js';
import type { CallObject } from '../../../core/model/objects/call.js';
import { newId } from '../../../core/model/ids.js';
import { callCommandOf } from '../../support/calls/call-command.js';
import { callControllerRig, type CallControllerRig } from '../../support/stages/call-controller.js';
import { HatifCommand } from '../../support/command.js';
import { stageEach } from '../../support/each.js';
import { eventually } from '../../support/eventually.js';
import { quiet } from '../../support/logger.js';
import { testRedis, type TestRedis } from '../../support/platform/redis.js';
import { callRow, insertProject, insertRows } from '../../support/rows/rows.js';

describe('hatif calls', function () {
  this.timeout(60_000);
  let redis: TestRedis;
  let rig: CallControllerRig;
  let command: HatifCommand;
  let project: string;

  before(async () => (redis = await testRedis()));
  after(() => redis.close());
  stageEach(
    async ({ db, url }) => ({
      rig: await callControllerRig(db),
      command: await HatifCommand.over(url, { REDIS_URL: redis.url }),
    }),
    (stage) => {
      ({ rig, command } = stage);
      project = rig.ground.projectId;
    },
    async (stage) => {
      await stage.command.close();
      await stage.rig.controller.stop();
    },
  );

  const hatif = (...args: string[]) => command.run([...args, '--project', project]);
  const json = (...args: string[]) => command.json(...args, '--project', project);

  async function talking(): Promise<string> {
    const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
    await rig.untilBothAnswered(callId);
    return callId;
  }

  /** Serves the rig's engine over Redis, as its owner process does. */
  async function serving(work: () => Promise<void>): Promise<void> {
    const connect = (name: string) => connectRedis(redis.url, name, quiet);
    const [subscriber, publisher] = [connect('test:subscriber'), connect('test:publisher')];
    const bus = RedisCommandBus.open(publisher, subscriber, quiet);
    await bus.serve(rig.ground.engineId, async (given) => {
      const outcome = await rig.controller.command(callCommandOf(given));
      await rig.settle();
      return outcome;
    });
    const channel = `hatif:engine:${rig.ground.engineId}`;
    await eventually(async () => {
      const [, subscribers] = await publisher.pubsub('NUMSUB', channel);
      return Number(subscribers) === 1;
    }, 'the owner receives commands');
    try {
      await work();
    } finally {
      await bus.close();
    }
  }

  it('lists live and recent calls, and filters them', async () => {
    const callId = await talking();
    await insertRows(rig.db, 'calls', [callRow(rig.ground, { status: 'failed' })]);
    const all = (await json('calls', 'list')) as CallObject[];
    expect(all.map(({ status }) => status)).to.have.members(['answered', 'failed']);
    const live = (await json('calls', 'list', '--live')) as CallObject[];
    expect(live.map(({ call_id }) => call_id)).to.deep.equal([callId]);
    expect(await json('calls', 'list', '--status', 'failed')).to.have.length(1);
    expect(await json('calls', 'list', '--limit', '1')).to.have.length(1);
    const { stdout } = await hatif('calls', 'list', '--live');
    expect(stdout).to.match(new RegExp(`${callId} .* outbound +answered +\\+96650••••17`));
    expect(stdout, 'the customer is masked').not.to.contain('+966501234517');
  });

  it('shows a call and its timeline', async () => {
    const callId = await talking();
    expect((await hatif('calls', 'show', callId)).stdout).to.match(/status +answered/);
    expect(await json('calls', 'show', callId)).to.include({ call_id: callId, status: 'answered' });
    const { stdout } = await hatif('calls', 'timeline', callId);
    expect(stdout)
      .to.match(/^\d{4}-\d\d-\d\dT\S+Z {2}call\.initiated/m)
      .and.match(/call\.answered/);
  });

  it('ends a live call through the owner of its engine, and records who did', async () => {
    const callId = await talking();
    await serving(async () => {
      const { code, stdout, stderr } = await hatif('calls', 'hangup', callId);
      expect(code, stderr).to.equal(0);
      expect(stdout).to.contain(callId);
      expect((await rig.calls.find(callId))?.status).to.equal('ended');
      const again = await hatif('calls', 'hangup', callId);
      expect(again.code).to.equal(1);
      expect(again.stderr).to.contain('ended');
    });
    expect(
      await rig.db.query(`SELECT route, path FROM audit_log WHERE organization_id = $1 AND method = 'CLI'`, [
        rig.ground.organizationId,
      ]),
    ).to.deep.equal([{ route: 'hatif calls hangup', path: `/v1/calls/${callId}/hangup` }]);
  });

  it('reports that no process owns the engine', async () => {
    const callId = await talking();
    for (const env of [{}, { REDIS_URL: 'redis://127.0.0.1:1' }]) {
      const { code, stderr } = await command.run(['calls', 'hangup', callId, '--project', project], { env });
      expect(code).to.equal(1);
      expect(stderr).to.contain('cannot be controlled');
    }
    expect((await rig.calls.find(callId))?.status).to.equal('answered');
  });

  it('does not find calls of another project, and unknown ones', async () => {
    const callId = await talking();
    const other = await insertProject(rig.db, rig.ground.organizationId);
    for (const action of ['show', 'timeline', 'hangup'])
      for (const [id, of] of [
        [callId, other],
        [newId(), project],
        ['nonsense', project],
      ] as const) {
        const { code, stderr } = await command.run(['calls', action, id, '--project', of]);
        expect([code, stderr.includes(id)], action).to.deep.equal([1, true]);
      }
    expect(await command.json('calls', 'list', '--project', other)).to.deep.equal([]);
  });

  it('treats an unknown status as a usage error, and rejects a wrong limit', async () => {
    expect((await hatif('calls', 'list', '--status', 'lost')).code).to.equal(2);
    expect((await hatif('calls', 'list', '--limit', '0')).code).to.equal(1);
  });
});
