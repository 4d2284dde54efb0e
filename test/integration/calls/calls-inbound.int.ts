import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

describe('controlling calls', () => {
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));

  describe('inbound', () => {
    const callIn = (dialled: string, from = CUSTOMER): string =>
      rig.engine.callIn({ source: TRUNK_SOURCE, dialled, callerId: { number: from, name: null } });

    it('stays unanswered until the agent picks up, then talks', async () => {
      const legId = callIn(rig.agentNumber);
      await rig.settle();
      const callId = await rig.newest();
      expect(rig.look(legId)?.answered).to.equal(false);
      await rig.untilStatus(callId, 'answered');
      await rig.until(() => Promise.resolve(rig.look(legId)?.bridgeId === callId));
      rig.engine.remoteHangup(legId);
      const call = await rig.untilStatus(callId, 'ended');
      expect(call).to.include({ kind: 'inbound', line_number: rig.agentNumber, agent: '1001' });
      expect(await rig.eventTypes(callId)).to.deep.equal([
        'call.initiated',
        'call.ringing',
        'call.answered',
        'call.ended',
      ]);
    });

    it('is missed when the agent is busy, and the caller hears busy', async () => {
      rig.parties.set('agent', PARTIES.busy);
      callIn(rig.agentNumber);
      await rig.settle();
      const call = await rig.untilStatus(await rig.newest(), 'missed');
      expect(call).to.include({ disposition: 'busy', hangup_q850: 17 });
    });

    it('is missed when the caller gives up, and the agent stops ringing', async () => {
      rig.parties.set('agent', PARTIES.neverAnswers);
      const legId = callIn(rig.agentNumber);
      await rig.settle();
      const callId = await rig.newest();
      await rig.until(async () => (await rig.legs(callId))[1]?.status === 'ringing');
      rig.engine.remoteHangup(legId);
      await rig.untilStatus(callId, 'missed');
      await rig.until(async () => (await rig.legs(callId))[1]?.status === 'ended');
    });

    it('reaches the echo service, which greets, echoes and hangs up on #', async () => {
      const legId = callIn(rig.line);
      await rig.settle();
      const callId = await rig.newest();
      await rig.until(() => Promise.resolve(rig.look(legId)?.echo === true));
      rig.engine.pressDigits(legId, '#');
      await rig.untilStatus(callId, 'ended');
      expect(await rig.eventTypes(callId)).to.include('call.dtmf');
      const said = await rig.db.query(`SELECT data FROM events WHERE call_id = $1 AND data::text LIKE '%"#"%'`, [
        callId,
      ]);
      expect(said, 'events contain no digits').to.deep.equal([]);
    });

    it('is refused if the number has no destination', async () => {
      const legId = callIn('+966115559999');
      await rig.settle();
      expect(rig.look(legId)).to.equal(null);
      expect(rig.controller.liveCalls).to.equal(0);
      expect(rig.refusals).to.deep.equal([{ refuse: 1, reason: 'unknown_number' }]);
    });

    it('is refused with the reason', async () => {
      const unbound = `${rig.line.slice(0, -1)}7`;
      await rig.db.query(
        `INSERT INTO numbers (id, organization_id, project_id, e164, kind, state, source, created_at)
         SELECT $1, organization_id, project_id, $2, kind, state, source, created_at FROM numbers WHERE e164 = $3`,
        [newId(), unbound, rig.line],
      );
      callIn(unbound);
      const aor = `a${rig.ground.projectId}`;
      await rig.db.query('UPDATE agents SET may_call_out = false WHERE aor = $1', [aor]);
      for (const from of [aor, 'nobody'])
        rig.engine.callIn({
          source: { type: 'softphone', aor: from },
          dialled: '0501234567',
          callerId: { number: from, name: null },
        });
      await rig.settle();
      expect(rig.refusals).to.have.deep.members([
        { refuse: 1, reason: 'unbound_number' },
        { refuse: 21, reason: 'not_allowed' },
        { refuse: 21, reason: 'unknown_caller' },
      ]);
      rig.controller.close(true);
      callIn(rig.line);
      await rig.settle();
      rig.controller.close(false);
      rig.lease.mayCommand = false;
      callIn(rig.line);
      await rig.settle();
      expect(rig.refusals.slice(3)).to.deep.equal([
        { refuse: 42, reason: 'draining' },
        { refuse: 42, reason: 'unavailable' },
      ]);
    });

    it('identifies a softphone by its registration', async () => {
      rig.engine.callIn({
        source: { type: 'softphone', aor: `a${rig.ground.projectId}` },
        dialled: rig.line,
        callerId: { number: '+966599999999', name: 'Somebody else' },
      });
      await rig.settle();
      const call = (await rig.calls.find(await rig.newest()))!;
      expect(call).to.include({ customer_number: rig.agentNumber, caller_id_name: 'Agent' });
    });
  });

  it('waits for calls to end when draining, and accepts no new one', async () => {
    const callId = await rig.place({ type: 'idle' });
    await rig.untilStatus(callId, 'answered');
    let left: number | undefined;
    const drained = rig.controller.drain(3_600_000).then((count) => (left = count));
    const refused = rig.engine.callIn({
      source: TRUNK_SOURCE,
      dialled: rig.line,
      callerId: { number: CUSTOMER, name: null },
    });
    await rig.settle();
    expect(rig.look(refused)).to.equal(null);
    expect(left).to.equal(undefined);
    rig.engine.remoteHangup((await rig.legs(callId))[0]!.id);
    await rig.settle();
    await drained;
    expect(left).to.equal(0);
  });
});
