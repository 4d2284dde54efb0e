import { expect } from 'chai';
import { PARTIES } from '../../../engine/simulator/party.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';
import { routeProblems } from '../../support/judges/route-contract.js';
import { TARGET, transferEach, type TransferStage } from '../../support/stages/transfer-stage.js';

describe('transferring calls', function () {
  this.timeout(60_000);
  let stage: TransferStage;
  let rig: CallControllerRig;
  transferEach((...made) => ([stage, rig] = made));

  it('follows the contract of all routes', async () => {
    expect(await routeProblems(stage.api, stage.routes)).to.deep.equal([]);
  });

  describe('blind', () => {
    it('plays music to the customer until the target answers and becomes the agent', async () => {
      const { callId, customer, agent } = await stage.talking();
      const started = await stage.transfer(callId, 'blind');
      expect(started).to.deep.include({
        call_id: callId,
        type: 'blind',
        to: { type: 'number', target: TARGET },
        status: 'initiated',
        ended_at: null,
      });
      expect(rig.look(customer)).to.include({ held: true, bridgeId: null });
      expect(await stage.together(callId)).to.deep.equal([agent]);
      expect(await rig.calls.find(callId)).to.include({ agent: '1001', on_hold: false });
      await stage.until(callId, 'ringing');
      const done = await stage.until(callId, 'completed');
      expect(done.ended_at).not.to.equal(null);
      const third = await stage.target(callId);
      expect(await stage.together(callId)).to.have.members([customer, third]);
      expect(rig.look(customer)).to.include({ held: false });
      expect(rig.look(agent)).to.equal(null);
      expect(await stage.roles(callId)).to.deep.equal(['customer answered', 'agent ended', 'agent answered']);
      expect(await rig.calls.find(callId)).to.include({ status: 'answered', agent: null });
      const [listed] = await stage.list(callId);
      expect(listed).to.deep.equal({ ...started, status: 'completed', ended_at: done.ended_at?.toISOString() });
      const [transferred] = await rig.db.query<{ transfer: unknown }>(
        `SELECT data->'transfer' AS transfer FROM events WHERE call_id = $1 AND type = 'call.transferred'`,
        [callId],
      );
      expect(transferred?.transfer).to.deep.equal(listed);
      rig.engine.remoteHangup(third);
      await rig.untilStatus(callId, 'ended');
      await rig.settle();
      expect((await rig.eventTypes(callId)).slice(3)).to.deep.equal(['call.transferred', 'call.ended']);
      expect((await rig.charges(callId)).map(({ number }) => number)).to.have.members([CUSTOMER, TARGET]);
      expect(await stage.noted(callId)).to.deep.equal(['control.transfer', 'transfer.ringing', 'transfer.completed']);
    });

    for (const party of ['busy', 'neverAnswers', 'neverRings', 'unknownNumber'] as const) {
      it(`returns the customer to the agent when the target ${party}`, async () => {
        rig.parties.set(TARGET, PARTIES[party]);
        const { callId, customer, agent } = await stage.talking();
        await stage.transfer(callId, 'blind');
        await stage.until(callId, 'failed');
        expect(await stage.together(callId)).to.have.members([customer, agent]);
        expect(await rig.calls.find(callId)).to.include({ status: 'answered', agent: '1001' });
        rig.engine.remoteHangup(agent);
        await rig.untilStatus(callId, 'ended');
        expect(await rig.eventTypes(callId)).not.to.include('call.transferred');
        expect(await rig.charges(callId)).to.have.length(1);
      });
    }

    it('gives up on a target that never sends an event', async () => {
      rig.parties.set(TARGET, { ...PARTIES.ringsForEver, ringsAfterMs: null });
      const { callId, customer, agent } = await stage.talking();
      await stage.transfer(callId, 'blind');
      await stage.until(callId, 'failed');
      expect(await stage.together(callId)).to.have.members([customer, agent]);
    });

    it('continues when the agent hangs up meanwhile', async () => {
      const { callId, customer, agent } = await stage.talking();
      await stage.transfer(callId, 'blind');
      rig.engine.remoteHangup(agent);
      await rig.settle();
      expect(rig.look(customer)).to.include({ held: true });
      await stage.until(callId, 'completed');
      expect(await stage.together(callId)).to.have.members([customer, await stage.target(callId)]);
    });

    it('ends the call when there is no party to return the customer to', async () => {
      rig.parties.set(TARGET, PARTIES.busy);
      const { callId, agent } = await stage.talking();
      await stage.transfer(callId, 'blind');
      rig.engine.remoteHangup(agent);
      const call = await rig.untilStatus(callId, 'ended');
      expect(call.hangup_q850).to.equal(17);
      expect(await stage.newest(callId)).to.include({ status: 'failed' });
    });

    it('connects a lone customer to the target, or returns the customer to the call’s program', async () => {
      const callId = await rig.place({ type: 'idle' });
      await rig.untilStatus(callId, 'answered');
      const [{ id: customer } = { id: '' }] = await stage.legs(callId);
      rig.parties.set(TARGET, PARTIES.busy);
      await stage.transfer(callId, 'blind');
      expect(rig.look(customer)).to.include({ held: true });
      await stage.until(callId, 'failed');
      expect(rig.look(customer)).to.include({ held: false });
      rig.parties.delete(TARGET);
      await stage.transfer(callId, 'blind');
      await stage.until(callId, 'completed');
      expect(await stage.together(callId)).to.deep.equal([customer, await stage.target(callId)]);
      rig.engine.remoteHangup(await stage.target(callId));
      await rig.untilStatus(callId, 'ended');
    });

    it('restarts an interrupted program when it fails', async () => {
      rig.parties.set(TARGET, PARTIES.busy);
      const callId = await rig.place({ type: 'play', paths: ['/prompts/hello'] });
      await rig.untilStatus(callId, 'answered');
      await stage.transfer(callId, 'blind');
      await stage.until(callId, 'failed');
      await rig.untilStatus(callId, 'ended');
    });
  });

  describe('attended', () => {
    it('lets the agent consult the target in private, and completes', async () => {
      const { callId, customer, agent } = await stage.talking();
      const started = await stage.transfer(callId, 'attended');
      await stage.until(callId, 'consulting');
      const third = await stage.target(callId);
      expect(await stage.together(callId)).to.have.members([agent, third]);
      expect(rig.look(customer)).to.include({ held: true, bridgeId: null });
      expect(await stage.roles(callId)).to.deep.equal(['customer answered', 'agent answered', 'transfer answered']);
      expect(await stage.finish(started, 'complete')).to.include({ status: 'completed' });
      expect(await stage.together(callId)).to.have.members([customer, third]);
      expect(rig.look(agent)).to.equal(null);
      expect(await stage.finish(started, 'complete'), 'a repeat').to.include({ status: 'completed' });
      expect((await stage.post(callId, `transfers/${started.transfer_id}/cancel`)).body).to.include({
        error_code: 'NOT_FOUND',
      });
      expect(await stage.noted(callId)).to.deep.equal([
        'control.transfer',
        'transfer.ringing',
        'transfer.consulting',
        'control.transfer_complete',
        'transfer.completed',
      ]);
    });

    for (const during of ['ringing', 'consulting'] as const) {
      it(`is cancelled while ${during}: customer and agent are together again`, async () => {
        const { callId, customer, agent } = await stage.talking();
        const started = await stage.transfer(callId, 'attended');
        await stage.until(callId, during);
        const third = await stage.target(callId);
        expect(await stage.finish(started, 'cancel')).to.include({ status: 'cancelled' });
        expect(await stage.together(callId)).to.have.members([customer, agent]);
        expect(rig.look(third)).to.equal(null);
        expect(await stage.finish(started, 'cancel'), 'a repeat').to.include({ status: 'cancelled' });
        await stage.post(callId, 'hangup');
        await rig.untilStatus(callId, 'ended');
      });
    }

    it('is over when the target hangs up in the consultation', async () => {
      const { callId, customer, agent } = await stage.talking();
      await stage.transfer(callId, 'attended');
      await stage.until(callId, 'consulting');
      rig.engine.remoteHangup(await stage.target(callId));
      await stage.until(callId, 'failed');
      expect(await stage.together(callId)).to.have.members([customer, agent]);
    });

    it('is completed by the agent’s hang-up in the consultation', async () => {
      const { callId, customer, agent } = await stage.talking();
      await stage.transfer(callId, 'attended');
      await stage.until(callId, 'consulting');
      rig.engine.remoteHangup(agent);
      await stage.until(callId, 'completed');
      expect(await stage.together(callId)).to.have.members([customer, await stage.target(callId)]);
    });

    for (const by of ['the agent’s hang-up', 'completing it'] as const) {
      it(`becomes a blind one by ${by} while it rings`, async () => {
        const { callId, customer, agent } = await stage.talking();
        const started = await stage.transfer(callId, 'attended');
        await stage.until(callId, 'ringing');
        if (by === 'completing it') await stage.finish(started, 'complete');
        else rig.engine.remoteHangup(agent);
        await rig.settle();
        expect(rig.look(agent)).to.equal(null);
        const cancelled = await stage.post(callId, `transfers/${started.transfer_id}/cancel`);
        expect(cancelled.body).to.include({ error_code: 'AGENT_LEG_NOT_CONNECTED' });
        await stage.until(callId, 'completed');
        expect(await stage.together(callId)).to.have.members([customer, await stage.target(callId)]);
      });
    }

    for (const during of ['ringing', 'consulting'] as const) {
      for (const way of ['the customer', 'the API'] as const) {
        it(`ends for all when ${way} hangs up while ${during}`, async () => {
          const { callId, customer } = await stage.talking();
          await stage.transfer(callId, 'attended');
          await stage.until(callId, during);
          if (way === 'the API') await stage.post(callId, 'hangup');
          else rig.engine.remoteHangup(customer);
          await rig.untilStatus(callId, 'ended');
          await rig.settle();
          expect((await stage.legs(callId)).map(({ status }) => status)).to.deep.equal(['ended', 'ended', 'ended']);
          expect(await stage.newest(callId)).to.include({ status: 'failed' });
          expect(await rig.eventTypes(callId)).not.to.include('call.transferred');
          expect(rig.controller.liveCalls).to.equal(0);
        });
      }
    }
  });

  describe('afterwards', () => {
    it('the target’s leg is the agent leg, for control and for the next transfer', async () => {
      const { callId, customer } = await stage.talking();
      await stage.transfer(callId, 'blind');
      await stage.until(callId, 'completed');
      const second = await stage.target(callId);
      expect((await stage.post(callId, 'hold', { leg: 'agent' })).status).to.equal(200);
      expect(rig.look(second)).to.include({ held: true });
      await stage.transfer(callId, 'attended', { to: { type: 'agent', target: '1001' } });
      await stage.until(callId, 'consulting');
      const third = await stage.target(callId);
      expect(await stage.together(callId), 'the transferor comes off hold').to.have.members([second, third]);
      rig.engine.remoteHangup(second);
      await stage.until(callId, 'completed');
      expect(await rig.calls.find(callId)).to.include({ agent: '1001' });
      expect(await stage.together(callId)).to.have.members([customer, third]);
      await stage.post(callId, 'hangup', { leg: 'agent' });
      await rig.untilStatus(callId, 'ended');
    });

    it('a customer who was on hold is not on hold any more', async () => {
      const { callId, customer } = await stage.talking();
      await stage.post(callId, 'hold');
      await stage.transfer(callId, 'blind');
      await stage.until(callId, 'completed');
      expect(await rig.calls.find(callId)).to.include({ on_hold: false });
      expect(rig.look(customer)).to.include({ held: false, bridgeId: callId });
    });
  });

  describe('while it is running', () => {
    it('hold and another transfer are refused, mute is not', async () => {
      const { callId, customer } = await stage.talking();
      await stage.transfer(callId, 'attended');
      for (const json of [{ leg: 'customer' }, { leg: 'agent' }]) {
        for (const action of ['hold', 'unhold']) {
          const refused = await stage.post(callId, action, json);
          expect(refused.body).to.include({ error_code: 'TRANSFER_IN_PROGRESS' });
        }
      }
      const again = await stage.post(callId, 'transfer', { type: 'blind', to: { type: 'number', target: TARGET } });
      expect(again.status).to.equal(409);
      expect(again.body).to.include({ error_code: 'TRANSFER_IN_PROGRESS' });
      expect((await stage.post(callId, 'mute')).status).to.equal(200);
      expect(rig.look(customer)).to.include({ muted: true });
    });
  });
});
