import { expect } from 'chai';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import { callControllerEach, control } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

describe('controlling calls', () => {
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));

  describe('outbound', () => {
    it('rings, plays, hangs up, and charges the leg', async () => {
      const callId = await rig.place({ type: 'play', paths: ['/prompts/hello'] });
      const call = await rig.untilStatus(callId, 'ended');
      expect(await rig.eventTypes(callId)).to.deep.equal([
        'call.initiated',
        'call.ringing',
        'call.answered',
        'call.ended',
      ]);
      expect(call).to.include({ disposition: 'answered', hangup_q850: 16 });
      expect(await rig.charges(callId)).to.have.length(1);
      expect(rig.controller.liveCalls).to.equal(0);
    });

    for (const [party, status, disposition] of [
      ['busy', 'missed', 'busy'],
      ['rejects', 'missed', 'rejected'],
      ['neverAnswers', 'missed', 'no_answer'],
      ['neverRings', 'timeout', 'no_answer'],
      ['unknownNumber', 'failed', 'invalid_number'],
      ['carrierFails', 'failed', 'congestion'],
      ['trunkIsSilent', 'failed', 'failed'],
      ['ringsOut', 'missed', 'no_answer'],
    ] as const) {
      it(`ends ${status}/${disposition} when the other side ${party}`, async () => {
        rig.parties.set(CUSTOMER, PARTIES[party]);
        const callId = await rig.place({ type: 'idle' });
        const call = await rig.untilStatus(callId, status);
        expect(call.disposition).to.equal(disposition);
        expect(await rig.charges(callId)).to.deep.equal([]);
      });
    }

    it('names a silent trunk as the reason, in the call and in its timeline', async () => {
      rig.parties.set(CUSTOMER, PARTIES.trunkIsSilent);
      const callId = await rig.place({ type: 'idle' });
      const call = await rig.untilStatus(callId, 'failed');
      const text = 'Destination out of order: the trunk did not answer';
      expect(call).to.include({ hangup_q850: 27, hangup_sip_code: 408, hangup_text: text });
      expect((await rig.legs(callId))[0]).to.include({ hangup_q850: 27, hangup_text: text });
    });

    it('fails if it was given up before it rang, and the trunk answers no probe either', async () => {
      const trunk = (await new Trunks(rig.db).list()).find(({ is_default }) => is_default);
      rig.parties.set(CUSTOMER, PARTIES.neverRings);
      rig.silentTrunks.add(trunk!.id);
      const call = await rig.untilStatus(await rig.place({ type: 'idle' }), 'failed');
      expect(call).to.include({ disposition: 'failed', hangup_q850: 27, hangup_sip_code: null });
      rig.parties.set(CUSTOMER, PARTIES.neverAnswers);
      const rung = await rig.untilStatus(await rig.place({ type: 'idle' }), 'missed');
      expect(rung, 'it rang: the trunk works').to.include({ disposition: 'no_answer', hangup_q850: 19 });
    });

    it('fails if the number that it is connected to is behind a silent trunk', async () => {
      const other = '+966501112233';
      rig.parties.set(other, PARTIES.trunkIsSilent);
      const callId = await rig.place({ type: 'connect', to: { type: 'number', target: other } });
      await rig.untilStatus(callId, 'ended');
      expect((await rig.legs(callId))[1]).to.include({ status: 'ended', hangup_q850: 27 });
    });

    it('is cancelled by a hang-up while it rings, and only once', async () => {
      const callId = await rig.place({ type: 'idle' });
      await rig.untilStatus(callId, 'ringing');
      const hangup = control(callId, { action: 'hangup' });
      expect(await rig.controller.command(hangup)).to.deep.equal({ result: 'done' });
      await rig.untilStatus(callId, 'cancelled');
      expect(await rig.controller.command(hangup)).to.deep.equal({ result: 'not_active' });
      expect((await rig.eventTypes(callId)).filter((type) => type === 'call.cancelled')).to.have.length(1);
    });

    it('joins the customer with an agent, and either hang-up ends both legs', async () => {
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.untilBothAnswered(callId);
      const [customer, agent] = await rig.legs(callId);
      await rig.settle();
      expect(rig.look(customer!.id)?.bridgeId).to.equal(callId);
      expect(rig.look(agent!.id)?.bridgeId).to.equal(callId);
      rig.engine.remoteHangup(agent!.id);
      const call = await rig.untilStatus(callId, 'ended');
      expect(call.agent).to.equal('1001');
      expect((await rig.legs(callId)).map((leg) => leg.status)).to.deep.equal(['ended', 'ended']);
      expect(await rig.charges(callId), 'the agent’s leg costs nothing').to.have.length(1);
    });

    it('stops ringing the agent when the customer hangs up', async () => {
      rig.parties.set('agent', PARTIES.neverAnswers);
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.until(async () => (await rig.legs(callId))[1]?.status === 'ringing');
      rig.engine.remoteHangup((await rig.legs(callId))[0]!.id);
      await rig.untilStatus(callId, 'ended');
      await rig.until(async () => (await rig.legs(callId))[1]?.status === 'ended');
    });

    it('ends the call when the agent’s softphone is not registered', async () => {
      rig.engine.setRegistered(`a${rig.ground.projectId}`, false);
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.untilStatus(callId, 'ended');
      expect((await rig.legs(callId))[1]).to.include({ status: 'ended', hangup_q850: 20 });
    });

    it('rings an agent’s own number of the platform without using a trunk', async () => {
      const callId = await rig.place({ type: 'idle' }, { customer_number: rig.agentNumber });
      await rig.untilStatus(callId, 'answered');
      expect((await rig.legs(callId))[0]).to.deep.include({ billable: false });
    });

    it('is found by the sweep if its notification was lost, but not rung if it is old', async () => {
      const young = await rig.write({ type: 'idle' });
      const old = await rig.write({ type: 'idle' }, { created_at: new Date(rig.clock.now().getTime() - 60_000) });
      await rig.controller.sweep();
      await rig.untilStatus(young, 'answered');
      const stale = await rig.untilStatus(old, 'failed');
      expect(await rig.legs(stale.id)).to.deep.equal([]);
    });

    it('is rung once, however often the owner is notified', async () => {
      const callId = await rig.place({ type: 'idle' });
      await Promise.all([1, 2, 3].map(() => rig.controller.command({ type: 'place', callId })));
      await rig.untilStatus(callId, 'answered');
      await rig.controller.command({ type: 'place', callId });
      await rig.settle();
      expect(await rig.legs(callId)).to.have.length(1);
    });
  });

  describe('a softphone that calls out', () => {
    const dialOut = (dialled: string): string =>
      rig.engine.callIn({
        source: { type: 'softphone', aor: `a${rig.ground.projectId}` },
        dialled,
        callerId: { number: '1001', name: null },
      });
    const allow = (may: boolean) =>
      rig.db.query(`UPDATE agents SET may_call_out = $1 WHERE project_id = $2`, [may, rig.ground.projectId]);

    it('makes an outbound call that follows the customer, shows the agent’s number and is charged', async () => {
      const legId = dialOut('0501234567');
      await rig.settle();
      const callId = await rig.newest();
      expect(await rig.calls.find(callId)).to.include({
        kind: 'outbound',
        direction: 'outbound',
        status: 'initiated',
        customer_number: '+966501234567',
        line_number: rig.agentNumber,
        agent: '1001',
      });
      await rig.untilStatus(callId, 'ringing');
      expect(rig.look(legId)?.answered).to.equal(false);
      await rig.untilStatus(callId, 'answered');
      await rig.until(() => Promise.resolve(rig.look(legId)?.bridgeId === callId));
      rig.engine.remoteHangup(legId);
      await rig.untilStatus(callId, 'ended');
      await rig.until(async () => (await rig.legs(callId)).every((leg) => leg.status === 'ended'));
      expect((await rig.legs(callId)).map((leg) => leg.role)).to.deep.equal(['agent', 'customer']);
      expect(await rig.charges(callId)).to.have.length(1);
      expect(await rig.eventTypes(callId)).to.deep.equal([
        'call.initiated',
        'call.ringing',
        'call.answered',
        'call.ended',
      ]);
    });

    it('hears that the customer is busy', async () => {
      rig.parties.set('+966501234567', PARTIES.busy);
      const legId = dialOut('+966501234567');
      await rig.settle();
      expect(await rig.untilStatus(await rig.newest(), 'missed')).to.include({ disposition: 'busy' });
      await rig.until(() => Promise.resolve(rig.look(legId) === null));
    });

    it('gives up: the customer stops ringing and the call is missed', async () => {
      rig.parties.set('+966501234567', PARTIES.neverAnswers);
      const legId = dialOut('+966501234567');
      await rig.settle();
      const callId = await rig.newest();
      await rig.untilStatus(callId, 'ringing');
      rig.engine.remoteHangup(legId);
      await rig.untilStatus(callId, 'missed');
      await rig.until(async () => (await rig.legs(callId)).every((leg) => leg.status === 'ended'));
    });

    it('is refused if the agent may not call out, except to an emergency number, even while draining', async () => {
      await allow(false);
      const refused = dialOut('+966501234567');
      await rig.settle();
      expect(rig.look(refused)).to.equal(null);
      expect(rig.controller.liveCalls).to.equal(0);
      void rig.controller.drain(3_600_000);
      const emergency = dialOut('911');
      await rig.settle();
      await rig.untilStatus(await rig.newest(), 'answered');
      await rig.until(() => Promise.resolve(rig.look(emergency)?.answered === true));
      rig.engine.remoteHangup(emergency);
      await rig.until(() => Promise.resolve(rig.controller.liveCalls === 0));
    });

    it('continues under a new owner', async () => {
      const legId = dialOut('+966501234567');
      await rig.settle();
      const callId = await rig.newest();
      await rig.untilStatus(callId, 'ringing');
      await rig.restart();
      await rig.untilStatus(callId, 'answered');
      await rig.until(() => Promise.resolve(rig.look(legId)?.bridgeId === callId));
      expect(await rig.legs(callId), 'no leg is rung twice').to.have.length(2);
    });

    it('ends the call immediately if there is no trunk to the number', async () => {
      await rig.db.query(`UPDATE trunks SET is_default = false`);
      const legId = dialOut('+966501234567');
      await rig.settle();
      expect(await rig.untilStatus(await rig.newest(), 'failed')).to.include({ disposition: 'failed' });
      expect(rig.look(legId)).to.equal(null);
    });
  });
});
