import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import type { Destination } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { CommandTimeout } from '../../../core/ports/command-bus.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import { SPENT, spendAll } from '../../support/stages/billing/charging.js';
import { callbackEach, CallbackStage } from '../../support/stages/callbacks.js';
import { callCommandOf } from '../../support/calls/call-command.js';
import { CUSTOMER } from '../../support/stages/call-controller.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { detailsOf, outcome } from '../../support/judges/outcome.js';

describe('callbacks', function () {
  this.timeout(30_000);
  let stage: CallbackStage;
  callbackEach((made) => (stage = made));

  const withDefault = async (destination: Destination | null, work: () => Promise<void>): Promise<void> => {
    const usual = stage;
    stage = await CallbackStage.start(usual.database, destination);
    try {
      await work();
      stage.assertSound();
    } finally {
      await stage.close();
      stage = usual;
    }
  };

  it('follow the contract of all routes', async () => {
    expect(await routeProblems(stage.api, stage.routes)).to.deep.equal([]);
    const { routes } = stage;
    const document = openApiDocument({ routes, version: '1', serverUrl: '' });
    expect(documentProblems(document, routes)).to.deep.equal([]);
    const { paths } = document as { paths: Record<string, Record<string, { parameters: { name?: string }[] }>> };
    const names = (path: string, method: string) => paths[path]?.[method]?.parameters.map(({ name }) => name);
    expect(names('/v1/callback', 'post')).to.include('X-Simulate');
    expect(names('/v1/callbacks/{callback_id}', 'delete')).to.include('X-Simulate');
  });

  describe('placed', () => {
    it('ring the customer and join them with the project’s default destination', async () => {
      const answer = await stage.post({
        to: '0501234517',
        caller_id_name: 'Shop',
        metadata: { order: '7' },
      });
      expect(answer.status, answer.text).to.equal(202);
      expect(answer.body).to.have.all.keys('callback_id', 'call_id', 'status', 'sandbox', 'queue_id', 'created_at');
      expect(answer.body).to.include({ status: 'initiated', sandbox: false, queue_id: null });
      const id = String(answer.body?.callback_id);
      expect(answer.body?.call_id).to.equal(id);
      await stage.phones.until(async () => {
        const legs = await stage.phones.calls.legsOf([id]);
        return legs.length === 2 && legs.every((leg) => stage.phones.look(leg.id)?.bridgeId === id);
      });
      expect(await stage.read(id)).to.include({ status: 'answered', agent: '1001', line_number: stage.phones.line });
      const [customer] = await stage.phones.calls.legsOf([id]);
      stage.phones.engine.remoteHangup(customer!.id);
      const call = await stage.phones.untilStatus(id, 'ended');
      expect(call).to.include({ kind: 'callback', direction: 'outbound', customer_number: CUSTOMER, sandbox: false });
      expect(call.metadata).to.deep.equal({ order: '7' });
      const charges = await stage.database.db.query<{ kind: string }>(`SELECT kind FROM charges WHERE call_id = $1`, [
        id,
      ]);
      expect(charges).to.deep.equal([{ kind: 'callback' }]);
      expect(await stage.phones.eventTypes(id)).to.deep.equal([
        'call.initiated',
        'call.ringing',
        'call.answered',
        'call.ended',
      ]);
    });

    it('reach the echo service if that is the default destination', async () => {
      await withDefault({ type: 'echo', target: null }, async () => {
        const { call_id } = await stage.placed(CUSTOMER);
        await stage.phones.until(async () => {
          const [customer] = await stage.phones.calls.legsOf([call_id]);
          return customer !== undefined && stage.phones.look(customer.id)?.echo === true;
        });
      });
    });

    it('are missed when the customer does not pick up', async () => {
      stage.phones.parties.set(CUSTOMER, PARTIES.neverAnswers);
      const { callback_id } = await stage.placed(CUSTOMER);
      await stage.phones.untilStatus(callback_id, 'missed');
      expect(await stage.read(callback_id)).to.include({ disposition: 'no_answer', duration_seconds: null });
    });

    it('notify their own webhook URL too', async () => {
      const answer = await stage.post({ to: CUSTOMER, webhook_url: 'https://example.com/hook' });
      const id = String(answer.body?.call_id);
      await stage.phones.untilStatus(id, 'answered');
      const lanes = await stage.database.db.query<{ lane: string; sequence: number }>(
        `SELECT lane, sequence FROM webhook_deliveries WHERE call_id = $1 ORDER BY sequence`,
        [id],
      );
      expect(lanes.map(({ lane }) => lane)).to.deep.equal(Array(3).fill(`call:${id}`));
    });

    it('are placed once per idempotency key', async () => {
      const headers = { 'Idempotency-Key': 'once' };
      const first = await stage.post({ to: CUSTOMER }, { headers });
      const again = await stage.post({ to: CUSTOMER }, { headers });
      expect(again.body).to.deep.equal(first.body);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      expect(outcome(await stage.post({ to: '0501234518' }, { headers }))).to.equal('409 IDEMPOTENCY_KEY_CONFLICT');
    });

    it('are found by a retry if the process of the first attempt died', async () => {
      const headers = { 'Idempotency-Key': 'died' };
      const first = await stage.post({ to: CUSTOMER }, { headers });
      await stage.database.db.query(
        `UPDATE idempotency_keys SET state = 'running', status_code = NULL, response = NULL,
           headers = jsonb_build_object('x-request-id', $1::text), created_at = now() - interval '121 seconds'
         WHERE idempotency_key = 'died'`,
        [first.headers.get('x-request-id')],
      );
      const again = await stage.post({ to: CUSTOMER }, { headers });
      expect(again.status).to.equal(202);
      expect(again.body?.callback_id).to.equal(first.body?.callback_id);
    });

    it('are refused if the project has no default destination, or one that was removed', async () => {
      for (const destination of [null, { type: 'queue', target: newId() }, { type: 'callflow', target: newId() }]) {
        await withDefault(destination, async () => {
          const answer = await stage.post({ to: CUSTOMER });
          expect(outcome(answer)).to.equal('400 VALIDATION_ERROR');
          expect(detailsOf(answer)[0]?.message).to.include('no default destination');
        });
      }
    });

    it('are validated like outbound calls, in the same order', async () => {
      const foreign = { caller_id_number: '+966112345678' };
      expect(outcome(await stage.post({ to: '12', ...foreign }))).to.equal('400 INVALID_PHONE_NUMBER');
      expect(outcome(await stage.post({ to: '911', ...foreign }))).to.equal('400 INVALID_PHONE_NUMBER');
      expect(outcome(await stage.post({ to: CUSTOMER, ...foreign }))).to.equal('403 CLI_NOT_OWNED');
      expect(outcome(await stage.post({ to: CUSTOMER, webhook_url: 'http://example.com' }))).to.equal(
        '400 WEBHOOK_URL_INVALID',
      );
      await stage.database.db.query(`UPDATE engines SET status = 'unreachable' WHERE id = $1`, [
        stage.phones.ground.engineId,
      ]);
      expect(outcome(await stage.post({ to: CUSTOMER }))).to.equal('502 CALL_FAILED');
    });

    it('are refused to a destination class that the project may not call, which the error names', async () => {
      const refused = await stage.post({ to: '+449098790000' });
      expect(outcome(refused)).to.equal('403 INSUFFICIENT_PERMISSIONS');
      expect(refused.body?.message).to.include('calls to the destination class premium');
      expect(refused.body?.message_ar).to.include('الاتصال بفئة الوجهات');
      expect(outcome(await stage.post({ to: '+442079460000' }))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    });

    it('are refused while the project has as many calls as it may have, with the time to wait', async () => {
      await stage.database.db.query(`UPDATE projects SET max_calls = 1 WHERE id = $1`, [stage.phones.ground.projectId]);
      expect(outcome(await stage.post({ to: CUSTOMER }))).to.equal('202 initiated');
      const refused = await stage.post({ to: '+966501234599' });
      expect(outcome(refused)).to.equal('502 CALL_FAILED');
      expect(refused.body?.message).to.include('already has 1 calls at once');
      expect(Number(refused.headers.get('retry-after'))).to.be.above(0);
    });

    for (const how of SPENT) {
      it(`are refused with ${how}, and nothing is stored`, async () => {
        await spendAll(stage.database.db, stage.phones.ground, how);
        const count = () => stage.database.db.query(`SELECT id FROM calls WHERE project_id = $1`, [projectId]);
        const { projectId } = stage.phones.ground;
        expect(outcome(await stage.post({ to: CUSTOMER }))).to.equal(`402 ${how}`);
        expect(await count()).to.deep.equal([]);
        expect(outcome(await stage.post({ to: stage.phones.agentNumber }))).to.equal('202 initiated');
      });
    }

    it('fail if there is no route to the customer or to the default destination', async () => {
      await stage.database.db.query(`UPDATE trunks SET is_default = false`);
      const answer = await stage.post({ to: CUSTOMER });
      expect(outcome(answer)).to.equal('502 CALL_FAILED');
      expect(answer.body?.message).to.include('trunk');
      await withDefault({ type: 'agent', target: '9999' }, async () => {
        const nowhere = await stage.post({ to: CUSTOMER });
        expect(outcome(nowhere)).to.equal('502 CALL_FAILED');
        expect(nowhere.body?.message).to.include('default destination');
      });
    });
  });

  describe('cancelled', () => {
    it('while the customer rings, once', async () => {
      const { callback_id } = await stage.placed(CUSTOMER);
      await stage.phones.untilStatus(callback_id, 'ringing');
      const answer = await stage.cancel(stage.phones, callback_id);
      expect(outcome(answer), answer.text).to.equal('200 cancelled');
      expect(answer.body).to.include({ callback_id, disposition: 'cancelled', answered_at: null });
      expect(answer.body).to.deep.equal(await stage.read(callback_id));
      expect(await stage.phones.eventTypes(callback_id)).to.deep.equal([
        'call.initiated',
        'call.ringing',
        'call.cancelled',
      ]);
      expect(outcome(await stage.delete(callback_id))).to.equal('409 CALLBACK_ALREADY_CANCELLED');
    });

    it('before the customer rings', async () => {
      const { callback_id } = await stage.placed(CUSTOMER);
      expect(outcome(await stage.cancel(stage.phones, callback_id))).to.equal('200 cancelled');
      expect(await stage.phones.eventTypes(callback_id)).to.deep.equal(['call.initiated', 'call.cancelled']);
    });

    it('not once they are answered or have ended', async () => {
      const { callback_id } = await stage.placed(CUSTOMER);
      await stage.phones.untilStatus(callback_id, 'answered');
      const answered = await stage.delete(callback_id);
      expect(outcome(answered)).to.equal('409 CALLBACK_NOT_CANCELLABLE');
      expect(answered.body?.message).to.include('answered');
      const [customer] = await stage.phones.calls.legsOf([callback_id]);
      stage.phones.engine.remoteHangup(customer!.id);
      await stage.phones.untilStatus(callback_id, 'ended');
      expect(outcome(await stage.delete(callback_id))).to.equal('409 CALLBACK_NOT_CANCELLABLE');
    });

    it('not if the customer answers at the same moment: the call continues', async () => {
      const { callback_id } = await stage.placed(CUSTOMER);
      await stage.phones.untilStatus(callback_id, 'ringing');
      stage.send = async (_, command) => {
        await stage.phones.untilStatus(callback_id, 'answered');
        return stage.phones.controller.command(callCommandOf(command));
      };
      const answer = await stage.delete(callback_id);
      expect(outcome(answer)).to.equal('409 CALLBACK_NOT_CANCELLABLE');
      await stage.phones.settle();
      expect((await stage.read(callback_id)).status).to.equal('answered');
    });

    it('not while the engine has no owner, is unreachable, or refuses', async () => {
      const { callback_id } = await stage.placed(CUSTOMER);
      await stage.phones.untilStatus(callback_id, 'ringing');
      stage.send = () => Promise.reject(new CommandTimeout('no process received it', false));
      expect(outcome(await stage.delete(callback_id))).to.equal('409 CALL_NOT_CONTROLLABLE');
      stage.send = () => Promise.reject(new CommandTimeout('received but not answered', true));
      expect(outcome(await stage.delete(callback_id))).to.equal('502 CALL_CONTROL_FAILED');
      stage.send = () => Promise.resolve({ result: 'engine_refused', kind: 'rejected', message: 'no' });
      expect(outcome(await stage.delete(callback_id))).to.equal('502 CALL_CONTROL_FAILED');
      stage.send = null;
      stage.phones.engine.disconnect('the cable');
      await stage.phones.settle();
      expect(outcome(await stage.delete(callback_id))).to.equal('409 CALL_NOT_CONTROLLABLE');
    });

    it('by their own project only, and never a real one by a sandbox key', async () => {
      const { callback_id } = await stage.placed(CUSTOMER);
      const neighbour = await stage.neighbourKey();
      for (const key of [neighbour, stage.sandboxKey, (await stage.api.key()).key]) {
        expect(outcome(await stage.delete(callback_id, key))).to.equal('404 CALLBACK_NOT_FOUND');
      }
      expect((await stage.read(callback_id)).status).to.equal('initiated');
      const { key: reader } = await stage.api.key({
        projectId: stage.phones.ground.projectId,
        scopes: ['calls:read'],
      });
      expect(outcome(await stage.delete(callback_id, reader))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    });
  });
});
