import { expect } from 'chai';
import { graphDefinition } from '../../../core/model/flow/definition.js';
import { newId } from '../../../core/model/ids.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import type { Answer } from '../../support/api.js';
import { callbackEach, type CallbackStage } from '../../support/stages/callbacks.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';
import { activeFlow } from '../../support/calls/flows.js';
import { openQueue } from '../../support/calls/open-queue.js';
import { detailsOf, outcome } from '../../support/judges/outcome.js';

const SANDBOX_ANSWERS = '+966500000001';

describe('requests for callbacks of a queue', function () {
  this.timeout(60_000);
  let stage: CallbackStage;
  let rig: CallControllerRig;
  let projectId: string;
  callbackEach((made) => ([stage, rig, projectId] = [made, made.phones, made.projectId]));

  const paths = (answer: Answer): string[] => detailsOf(answer).map(({ path }) => path);
  const placed = (json?: object): Promise<string> => stage.placedFromQueue(json);
  const member = async () => (await rig.queues.coordinator.view(projectId)).agent('1001');

  describe('customer first', () => {
    it('ring the customer, who waits in the queue', async () => {
      const queueId = await openQueue(rig, { callback_mode: 'customer_first' }, false);
      const id = await placed();
      await rig.untilStatus(id, 'answered');
      await rig.settle();
      const customer = (await rig.legs(id))[0]!;
      expect(rig.look(customer.id)).to.include({ held: true });
      expect((await rig.legs(id)).map(({ role }) => role)).to.deep.equal(['customer']);
      await rig.queues.signIn.login(projectId, '1001', 'sales');
      await rig.until(async () => Promise.resolve(rig.look(customer.id)?.bridgeId === id));
      expect(await stage.read(id)).to.include({ agent: '1001', queue_id: queueId });
    });

    it('are missed when the customer does not answer: no agent is rung', async () => {
      const queueId = await openQueue(rig);
      await rig.queues.queues.change(projectId, queueId, { callback_mode: 'customer_first' });
      rig.parties.set(CUSTOMER, PARTIES.neverAnswers);
      const id = await placed();
      await rig.untilStatus(id, 'missed');
      expect((await rig.legs(id)).map(({ role }) => role)).to.deep.equal(['customer']);
    });
  });

  describe('requested', () => {
    it('by id or name, but not both; unknown and other projects’ queues are refused', async () => {
      const queueId = await openQueue(rig);
      const foreign = await openQueue(stage.sandbox, {}, false);
      expect(paths(await stage.post({ to: CUSTOMER, queue_id: queueId, from_queue: 'sales' }))).to.include(
        'from_queue',
      );
      for (const [json, path] of [
        [{ queue_id: newId() }, 'queue_id'],
        [{ queue_id: foreign }, 'queue_id'],
        [{ from_queue: 'nothing' }, 'from_queue'],
      ] as const) {
        const answer = await stage.post({ to: CUSTOMER, ...json });
        expect([outcome(answer), ...paths(answer)]).to.deep.equal(['400 VALIDATION_ERROR', path]);
      }
      expect((await stage.read(await placed({ queue_id: queueId.toUpperCase() }))).queue_id).to.equal(queueId);
    });

    it('are listed by their queue', async () => {
      const queueId = await openQueue(rig, {}, false);
      const other = await openQueue(rig, { name: 'other', dial_code: null }, false);
      const id = await placed();
      await placed({ queue_id: other });
      const { body } = await stage.api.request('GET', `/v1/callbacks?queue_id=${queueId}`, { key: stage.liveKey });
      expect((body?.data as { callback_id: string }[]).map(({ callback_id }) => callback_id)).to.deep.equal([id]);
      const { rows } = await rig.calls.list({ projectId, sandboxOnly: false }, { queueId }, { limit: 10 });
      expect(rows.map((row) => row.id)).to.deep.equal([id]);
    });

    it('wait in the queue that is the project’s default destination, if none is named', async () => {
      const queueId = await openQueue(rig);
      await rig.db.query(`UPDATE projects SET default_destination = $2 WHERE id = $1`, [
        projectId,
        JSON.stringify({ type: 'queue', target: queueId }),
      ]);
      const id = await placed({});
      await rig.untilStatus(id, 'answered');
      await rig.until(async () => (await stage.read(id)).agent === '1001');
      expect(await stage.read(id)).to.include({ queue_id: null });
    });

    it('run the call flow that is the project’s default destination', async () => {
      const graph = graphDefinition.parse({
        start: 'say',
        nodes: { say: { type: 'say', text: 'Hello', language: 'en', next: 'end' }, end: { type: 'hangup' } },
      });
      const { organizationId } = rig.ground;
      const flowId = await activeFlow(rig.db, { organizationId, projectId }, graph);
      await rig.db.query(`UPDATE projects SET default_destination = $2 WHERE id = $1`, [
        projectId,
        JSON.stringify({ type: 'callflow', target: flowId }),
      ]);
      const id = await placed({});
      await rig.untilStatus(id, 'ended');
      expect((await rig.calls.find(id))?.program).to.deep.include({
        spec: { type: 'callflow', callflowId: flowId, version: 1 },
      });
    });

    it('in the sandbox: the queue must exist and be staffed; real agents are not rung', async () => {
      const simulate = (json: object) => stage.post({ to: SANDBOX_ANSWERS, ...json }, { key: stage.sandboxKey });
      expect(outcome(await simulate({ queue_id: newId() }))).to.equal('400 SANDBOX_INVALID_QUEUE');
      expect(outcome(await simulate({ from_queue: 'sales' }))).to.equal('400 SANDBOX_INVALID_QUEUE');
      const queueId = await openQueue(rig, {}, false);
      expect(outcome(await simulate({ from_queue: 'sales' }))).to.equal('503 SANDBOX_QUEUE_UNAVAILABLE');
      await rig.queues.signIn.login(projectId, '1001', 'sales');
      await rig.queues.signIn.pause(projectId, '1001', null);
      expect(outcome(await simulate({ from_queue: 'sales' }))).to.equal('503 SANDBOX_QUEUE_UNAVAILABLE');
      await rig.queues.signIn.unpause(projectId, '1001');
      const answer = await simulate({ from_queue: 'sales' });
      expect(answer.body).to.include({ queue_id: queueId, sandbox: true });
      const id = String(answer.body?.callback_id);
      await stage.sandbox.untilStatus(id, 'ended');
      expect(await stage.read(id, stage.sandboxKey)).to.include({ disposition: 'answered', duration_seconds: 5 });
      expect((await member())?.state).to.equal('idle');
    });
  });
});
