import { expect } from 'chai';
import type { CallRow } from '../../../core/data/rows.js';
import { graphDefinition } from '../../../core/model/flow/definition.js';
import { activeFlow } from '../../support/calls/flows.js';
import { bindLine, openQueue } from '../../support/calls/open-queue.js';
import { callbackEach, type CallbackStage } from '../../support/stages/callbacks.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';
import { TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';

describe('skills that queues and callers require', function () {
  this.timeout(60_000);
  let stage: CallbackStage;
  let rig: CallControllerRig;
  let projectId: string;
  callbackEach((made) => ([stage, rig, projectId] = [made, made.phones, made.projectId]));

  async function dialIn(): Promise<string> {
    rig.engine.callIn({ source: TRUNK_SOURCE, dialled: rig.line, callerId: { number: CUSTOMER, name: null } });
    await rig.settle();
    return rig.newest();
  }
  const find = async (callId: string): Promise<CallRow> => (await rig.calls.find(callId))!;
  const agentLegs = async (callId: string) => (await rig.legs(callId)).filter(({ role }) => role === 'agent');
  const give = async (skills: Record<string, number>) => {
    await rig.queues.agents.change(projectId, '1001', { skills });
    await rig.queues.watch.compare();
    await rig.queues.coordinator.idle();
  };
  const waits = (callId: string) =>
    rig.until(async () => (await rig.queues.coordinator.view(projectId)).caller(callId) !== undefined);

  it('keep an agent without them from being rung until the agent has them', async () => {
    await bindLine(rig, await openQueue(rig, { required_skills: { arabic: 5 } }));
    const callId = await dialIn();
    await waits(callId);
    await rig.settle();
    expect(await agentLegs(callId)).to.deep.equal([]);
    await give({ arabic: 4 });
    expect(await agentLegs(callId), 'the level is too low').to.deep.equal([]);
    await give({ arabic: 5 });
    await rig.untilStatus(callId, 'answered');
    expect((await find(callId)).agent).to.equal('1001');
  });

  it('do not count after the time that the queue sets, and callers without an agent overflow', async () => {
    const settings = { required_skills: { arabic: 5 }, max_wait_seconds: 60 };
    const queueId = await openQueue(rig, { ...settings, skills_timeout_seconds: 20 });
    await bindLine(rig, queueId);
    const relaxed = await dialIn();
    await rig.untilStatus(relaxed, 'answered');
    expect((await find(relaxed)).queued_seconds).to.be.within(20, 25);
    await rig.queues.queues.change(projectId, queueId, { skills_timeout_seconds: null });
    const strict = await dialIn();
    await rig.untilStatus(strict, 'timeout');
    expect(await agentLegs(strict)).to.deep.equal([]);
  });

  it('of a flow’s node count besides those of the queue, also after a restart', async () => {
    const queueId = await openQueue(rig, { required_skills: { arabic: 5 } });
    const { organizationId } = rig.ground;
    const graph = graphDefinition.parse({
      start: 'queue',
      nodes: { queue: { type: 'queue', queue_id: queueId, required_skills: { billing: 3 } } },
    });
    const target = await activeFlow(rig.db, { organizationId, projectId }, graph);
    await rig.db.query(`UPDATE numbers SET binding = $2 WHERE e164 = $1`, [
      rig.line,
      JSON.stringify({ type: 'callflow', target }),
    ]);
    await give({ arabic: 9 });
    const callId = await dialIn();
    await waits(callId);
    await rig.restart();
    await rig.settle();
    expect(await agentLegs(callId)).to.deep.equal([]);
    await give({ arabic: 9, billing: 3 });
    await rig.untilStatus(callId, 'answered');
  });

  it('go along when the queue overflows into another one', async () => {
    const second = await openQueue(rig, { name: 'second', dial_code: null });
    const overflow = { type: 'queue', target: second };
    const first = await openQueue(rig, { overflow, max_wait_seconds: 10 }, false);
    const { callback_id: id } = await stage.accepted({ to: CUSTOMER, queue_id: first, required_skills: { arabic: 1 } });
    await rig.until(async () => (await find(id)).served_queue_id === second);
    await waits(id);
    await rig.settle();
    expect(await agentLegs(id)).to.deep.equal([]);
    await give({ arabic: 1 });
    await rig.untilStatus(id, 'answered');
  });

  for (const callback_mode of ['agent_first', 'customer_first'] as const) {
    it(`of a callback (${callback_mode}) count besides those of the queue`, async () => {
      await openQueue(rig, { callback_mode, required_skills: { arabic: 2 } });
      await give({ arabic: 2 });
      const { callback_id: id } = await stage.accepted({
        to: CUSTOMER,
        from_queue: 'sales',
        required_skills: { billing: 1 },
      });
      await waits(id);
      await rig.settle();
      expect(await agentLegs(id)).to.deep.equal([]);
      await give({ arabic: 2, billing: 1 });
      await rig.until(async () => (await agentLegs(id)).some(({ status }) => status === 'answered'));
    });
  }

  it('of a callback are refused without a queue, and if they are invalid', async () => {
    const refused = async (json: object): Promise<unknown> => {
      const { status, body } = await stage.post({ to: CUSTOMER, ...json });
      const [detail] = body?.details as { path: string }[];
      return [status, body?.error_code, detail?.path];
    };
    const invalid = (path: string) => [400, 'VALIDATION_ERROR', path];
    expect(await refused({ required_skills: { arabic: 1 } })).to.deep.equal(invalid('required_skills'));
    await openQueue(rig);
    const bad = { from_queue: 'sales', required_skills: { arabic: 10 } };
    expect(await refused(bad)).to.deep.equal(invalid('required_skills.arabic'));
  });
});
