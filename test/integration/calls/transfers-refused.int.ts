import { expect } from 'chai';
import { PARTIES } from '../../../engine/simulator/party.js';
import type { CallControllerRig } from '../../support/stages/call-controller.js';
import { paged } from '../../support/judges/paged.js';
import { SPENT, spendAll } from '../../support/stages/billing/charging.js';
import { TARGET, transferEach, type TransferStage } from '../../support/stages/transfer-stage.js';

const UNKNOWN_ID = '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11';

describe('transferring calls', function () {
  this.timeout(60_000);
  let stage: TransferStage;
  let rig: CallControllerRig;
  transferEach((...made) => ([stage, rig] = made));

  describe('is refused', () => {
    const refusal = async (callId: string, json: object): Promise<string> => {
      const to = { type: 'number', target: TARGET };
      const answer = await stage.post(callId, 'transfer', { type: 'blind', to, ...json });
      return `${answer.status} ${String(answer.body?.error_code)}`;
    };

    it('to unknown and unsupported targets', async () => {
      const { callId } = await stage.talking();
      const invalid = '422 TRANSFER_TARGET_INVALID';
      expect(await refusal(callId, { to: { type: 'agent', target: '9999' } })).to.equal(invalid);
      expect(await refusal(callId, { to: { type: 'number', target: '999' } })).to.equal('400 INVALID_PHONE_NUMBER');
      expect(await refusal(callId, { to: { type: 'callflow', target: UNKNOWN_ID } })).to.equal(invalid);
      expect(await refusal(callId, { ring_timeout_seconds: 4 })).to.equal('400 VALIDATION_ERROR');
      expect(await stage.list(callId)).to.deep.equal([]);
    });

    it('to a destination class that the project may not call, by the API and by a softphone', async () => {
      const { callId, agent } = await stage.talking();
      const to = { type: 'number', target: '+442079460000' };
      expect(await refusal(callId, { to })).to.equal('403 INSUFFICIENT_PERMISSIONS');
      rig.engine.phoneTransfer(agent, '+442079460000');
      await rig.settle();
      expect(await stage.noted(callId)).to.deep.equal(['transfer.declined']);
      await rig.db.query(`UPDATE projects SET destination_classes = '{national,mobile,foreign}' WHERE id = $1`, [
        rig.ground.projectId,
      ]);
      rig.directory.invalidate();
      rig.engine.phoneTransfer(agent, '+442079460000');
      await rig.settle();
      expect(await stage.list(callId), 'the agent may not').to.deep.equal([]);
      expect(await refusal(callId, { to }), 'the API may').to.equal('202 undefined');
    });

    for (const how of SPENT) {
      it(`to an outside number with ${how}, but not to an agent`, async () => {
        const { callId, agent } = await stage.talking();
        await spendAll(rig.db, rig.ground, how);
        // Longer than a billing profile is cached.
        await rig.clock.advance(6_000);
        expect(await refusal(callId, {})).to.equal(`402 ${how}`);
        rig.engine.phoneTransfer(agent, TARGET);
        await rig.settle();
        expect(await stage.noted(callId)).to.deep.equal(['transfer.declined']);
        expect(await stage.list(callId)).to.deep.equal([]);
        expect(await stage.legs(callId)).to.have.length(2);
        expect(await refusal(callId, { to: { type: 'agent', target: '1001' } })).to.equal('202 undefined');
      });
    }

    it('before the answer, without an agent, after the end', async () => {
      const callId = await rig.place({ type: 'idle' });
      await rig.untilStatus(callId, 'ringing');
      expect(await refusal(callId, {})).to.equal('409 CALL_NOT_ANSWERED');
      await rig.untilStatus(callId, 'answered');
      expect(await refusal(callId, { type: 'attended' })).to.equal('409 AGENT_LEG_NOT_CONNECTED');
      await stage.post(callId, 'hangup');
      await rig.untilStatus(callId, 'ended');
      expect(await refusal(callId, {})).to.equal('409 CALL_NOT_ACTIVE');
      expect(await refusal(UNKNOWN_ID, {})).to.equal('404 CALL_NOT_FOUND');
    });

    it('while the agent still rings', async () => {
      rig.parties.set('agent', PARTIES.neverAnswers);
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.until(async () => (await stage.legs(callId))[1]?.status === 'ringing');
      expect(await refusal(callId, {})).to.equal('409 AGENT_LEG_NOT_CONNECTED');
    });

    it('after five transfers', async () => {
      const { callId } = await stage.talking();
      for (let done = 0; done < 5; done += 1) {
        await stage.transfer(callId, 'blind');
        await stage.until(callId, 'completed');
      }
      expect(await refusal(callId, {})).to.equal('409 TRANSFER_LIMIT_REACHED');
      const all = await stage.list(callId);
      expect(all).to.have.length(5);
      const ask = (query: string) =>
        stage.api.request('GET', `/v1/calls/${callId}/transfers?${query}`, { key: stage.key });
      expect(await paged(ask, 2)).to.deep.equal(all);
    });

    it('while the engine is unreachable, and when it refuses', async () => {
      const { callId } = await stage.talking();
      rig.engine.disconnect('the cable');
      expect(await refusal(callId, {})).to.equal('409 CALL_NOT_CONTROLLABLE');
      rig.engine.reconnect();
      await rig.settle();
      await rig.controller.adopt();
      const started = await stage.transfer(callId, 'attended');
      await stage.until(callId, 'consulting');
      const engine = stage.cutAfter(0, 'rejected');
      const refused = await stage.post(callId, `transfers/${started.transfer_id}/cancel`);
      engine.restore();
      expect(refused.body).to.include({ error_code: 'CALL_CONTROL_FAILED' });
    });

    it('completing or cancelling a transfer that is not running', async () => {
      const { callId } = await stage.talking();
      for (const id of [UNKNOWN_ID, 'nothing']) {
        const answer = await stage.post(callId, `transfers/${id}/complete`);
        expect(answer.body).to.include({ error_code: 'NOT_FOUND' });
      }
      const answer = await stage.post(UNKNOWN_ID, `transfers/${UNKNOWN_ID}/cancel`);
      expect(answer.body).to.include({ error_code: 'CALL_NOT_FOUND' });
    });
  });
});
