import { expect } from 'chai';
import type { CallCommand, LegAction } from '../../core/ports/command-bus.js';
import { EngineError } from '../../core/ports/engine.js';
import { PARTIES } from '../../engine/simulator/party.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { conductorRig, CUSTOMER, type ConductorRig } from '../support/conductor.js';

function control(callId: string, what: LegAction, leg: 'customer' | 'agent' = 'customer'): CallCommand {
  return { type: 'control', callId, leg, what, requestId: 'r', actor: null };
}

const trunk = { type: 'trunk', trunkId: '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11' } as const;

describe('conducting calls', () => {
  let database: TestDatabase;
  let rig: ConductorRig;

  before(async () => {
    database = await testDatabase();
  });
  after(() => database.close());
  beforeEach(async () => {
    rig = await conductorRig(database.db);
  });
  afterEach(async () => {
    await rig.conductor.stop();
    expect(rig.illegalMoves).to.deep.equal([]);
  });

  const legs = (callId: string) => rig.calls.legsOf([callId]);
  const charges = (callId: string) =>
    database.db.query<{ seconds: number }>(`SELECT seconds FROM charges WHERE call_id = $1`, [callId]);

  /** An incoming call's id: the newest of the project. */
  async function newest(): Promise<string> {
    const { rows } = await rig.calls.list({ projectId: rig.ground.projectId, sandboxOnly: false }, {}, { limit: 1 });
    return rows[0]!.id;
  }

  describe('outbound', () => {
    it('rings, plays, hangs up, and charges the leg', async () => {
      const callId = await rig.place({ type: 'play', paths: ['/prompts/hello'] });
      const call = await rig.untilStatus(callId, 'ended');
      expect(await rig.told(callId)).to.deep.equal(['call.initiated', 'call.ringing', 'call.answered', 'call.ended']);
      expect(call).to.include({ disposition: 'answered', hangup_q850: 16 });
      expect(await charges(callId)).to.have.length(1);
      expect(rig.conductor.liveCalls).to.equal(0);
    });

    for (const [party, status, disposition] of [
      ['busy', 'missed', 'busy'],
      ['rejects', 'missed', 'rejected'],
      ['neverAnswers', 'missed', 'no_answer'],
      ['neverRings', 'timeout', 'no_answer'],
      ['unknownNumber', 'failed', 'invalid_number'],
      ['carrierFails', 'failed', 'congestion'],
    ] as const) {
      it(`ends ${status}/${disposition} when the other side ${party}`, async () => {
        rig.parties.set(CUSTOMER, PARTIES[party]);
        const callId = await rig.place({ type: 'idle' });
        const call = await rig.untilStatus(callId, status);
        expect(call.disposition).to.equal(disposition);
        expect(await charges(callId)).to.deep.equal([]);
      });
    }

    it('is cancelled by a hang-up while it rings, and only once', async () => {
      const callId = await rig.place({ type: 'idle' });
      await rig.untilStatus(callId, 'ringing');
      const hangup = control(callId, { action: 'hangup' });
      expect(await rig.conductor.command(hangup)).to.deep.equal({ result: 'done' });
      await rig.untilStatus(callId, 'cancelled');
      expect(await rig.conductor.command(hangup)).to.deep.equal({ result: 'not_active' });
      expect((await rig.told(callId)).filter((type) => type === 'call.cancelled')).to.have.length(1);
    });

    it('joins the customer with an agent and ends both with either', async () => {
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.until(async () => (await legs(callId)).filter((leg) => leg.status === 'answered').length === 2);
      const [customer, agent] = await legs(callId);
      await rig.settle();
      expect(rig.look(customer!.id)?.bridgeId).to.equal(callId);
      expect(rig.look(agent!.id)?.bridgeId).to.equal(callId);
      rig.engine.remoteHangup(agent!.id);
      const call = await rig.untilStatus(callId, 'ended');
      expect(call.agent).to.equal('1001');
      expect((await legs(callId)).map((leg) => leg.status)).to.deep.equal(['ended', 'ended']);
      expect(await charges(callId), 'the agent’s leg costs nothing').to.have.length(1);
    });

    it('lets the agent go when the customer hangs up while the agent still rings', async () => {
      rig.parties.set('agent', PARTIES.neverAnswers);
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.until(async () => (await legs(callId))[1]?.status === 'ringing');
      rig.engine.remoteHangup((await legs(callId))[0]!.id);
      await rig.untilStatus(callId, 'ended');
      await rig.until(async () => (await legs(callId))[1]?.status === 'ended');
    });

    it('ends the call when the agent’s softphone is not registered', async () => {
      rig.engine.setRegistered(`a${rig.ground.projectId}`, false);
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.untilStatus(callId, 'ended');
      expect((await legs(callId))[1]).to.include({ status: 'ended', hangup_q850: 20 });
    });

    it('rings a number of the platform that belongs to an agent without leaving by a trunk', async () => {
      const callId = await rig.place({ type: 'idle' }, { customer_number: rig.agentNumber });
      await rig.untilStatus(callId, 'answered');
      expect((await legs(callId))[0]).to.deep.include({ billable: false });
    });

    it('is found by the sweep when nobody told of it, but not rung any more when it is old', async () => {
      const young = await rig.write({ type: 'idle' });
      const old = await rig.write({ type: 'idle' }, { created_at: new Date(rig.clock.now().getTime() - 60_000) });
      await rig.conductor.sweep();
      await rig.untilStatus(young, 'answered');
      const stale = await rig.untilStatus(old, 'failed');
      expect(await legs(stale.id)).to.deep.equal([]);
    });

    it('is rung once, however often it is announced', async () => {
      const callId = await rig.place({ type: 'idle' });
      await Promise.all([1, 2, 3].map(() => rig.conductor.command({ type: 'place', callId })));
      await rig.untilStatus(callId, 'answered');
      await rig.conductor.command({ type: 'place', callId });
      await rig.settle();
      expect(await legs(callId)).to.have.length(1);
    });
  });

  describe('inbound', () => {
    const callIn = (dialled: string, from = CUSTOMER): string =>
      rig.engine.callIn({ source: trunk, dialled, callerId: { number: from, name: null } });

    it('stays unanswered until the agent picks up, then talks', async () => {
      const legId = callIn(rig.agentNumber);
      await rig.settle();
      const callId = await newest();
      expect(rig.look(legId)?.answered).to.equal(false);
      await rig.untilStatus(callId, 'answered');
      await rig.until(() => Promise.resolve(rig.look(legId)?.bridgeId === callId));
      rig.engine.remoteHangup(legId);
      const call = await rig.untilStatus(callId, 'ended');
      expect(call).to.include({ kind: 'inbound', line_number: rig.agentNumber, agent: '1001' });
      expect(await rig.told(callId)).to.deep.equal(['call.initiated', 'call.ringing', 'call.answered', 'call.ended']);
    });

    it('is missed when the agent is busy, and the caller is told so', async () => {
      rig.parties.set('agent', PARTIES.busy);
      callIn(rig.agentNumber);
      await rig.settle();
      const call = await rig.untilStatus(await newest(), 'missed');
      expect(call).to.include({ disposition: 'busy', hangup_q850: 17 });
    });

    it('is missed when the caller gives up, and the agent stops ringing', async () => {
      rig.parties.set('agent', PARTIES.neverAnswers);
      const legId = callIn(rig.agentNumber);
      await rig.settle();
      const callId = await newest();
      await rig.until(async () => (await legs(callId))[1]?.status === 'ringing');
      rig.engine.remoteHangup(legId);
      await rig.untilStatus(callId, 'missed');
      await rig.until(async () => (await legs(callId))[1]?.status === 'ended');
    });

    it('reaches the echo service, which greets, echoes and hangs up on #', async () => {
      const legId = callIn(rig.line);
      await rig.settle();
      const callId = await newest();
      await rig.until(() => Promise.resolve(rig.look(legId)?.echo === true));
      rig.engine.pressDigits(legId, '#');
      await rig.untilStatus(callId, 'ended');
      expect(await rig.told(callId)).to.include('call.dtmf');
      const said = await database.db.query(`SELECT data FROM events WHERE call_id = $1 AND data::text LIKE '%"#"%'`, [
        callId,
      ]);
      expect(said, 'digits are never told').to.deep.equal([]);
    });

    it('is refused where nothing answers the number', async () => {
      const legId = callIn('+966115559999');
      await rig.settle();
      expect(rig.look(legId)).to.equal(null);
      expect(rig.conductor.liveCalls).to.equal(0);
    });

    it('takes a softphone for who it registered as', async () => {
      rig.engine.callIn({
        source: { type: 'softphone', aor: `a${rig.ground.projectId}` },
        dialled: rig.line,
        callerId: { number: '+966599999999', name: 'Somebody else' },
      });
      await rig.settle();
      const call = (await rig.calls.find(await newest()))!;
      expect(call).to.include({ customer_number: rig.agentNumber, caller_id_name: 'Agent' });
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
      database.db.query(`UPDATE agents SET may_call_out = $1 WHERE project_id = $2`, [may, rig.ground.projectId]);

    it('makes an outbound call that follows the customer, shows the agent’s number and is charged', async () => {
      const legId = dialOut('0501234567');
      await rig.settle();
      const callId = await newest();
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
      await rig.until(async () => (await legs(callId)).every((leg) => leg.status === 'ended'));
      expect((await legs(callId)).map((leg) => leg.role)).to.deep.equal(['agent', 'customer']);
      expect(await charges(callId)).to.have.length(1);
      expect(await rig.told(callId)).to.deep.equal(['call.initiated', 'call.ringing', 'call.answered', 'call.ended']);
    });

    it('is told that the customer is busy', async () => {
      rig.parties.set('+966501234567', PARTIES.busy);
      const legId = dialOut('+966501234567');
      await rig.settle();
      expect(await rig.untilStatus(await newest(), 'missed')).to.include({ disposition: 'busy' });
      await rig.until(() => Promise.resolve(rig.look(legId) === null));
    });

    it('gives up: the customer stops ringing and the call is missed', async () => {
      rig.parties.set('+966501234567', PARTIES.neverAnswers);
      const legId = dialOut('+966501234567');
      await rig.settle();
      const callId = await newest();
      await rig.untilStatus(callId, 'ringing');
      rig.engine.remoteHangup(legId);
      await rig.untilStatus(callId, 'missed');
      await rig.until(async () => (await legs(callId)).every((leg) => leg.status === 'ended'));
    });

    it('is refused where the agent may not, except to an emergency number, which even a drain lets through', async () => {
      await allow(false);
      const refused = dialOut('+966501234567');
      await rig.settle();
      expect(rig.look(refused)).to.equal(null);
      expect(rig.conductor.liveCalls).to.equal(0);
      void rig.conductor.drain(3_600_000);
      const emergency = dialOut('911');
      await rig.settle();
      await rig.untilStatus(await newest(), 'answered');
      await rig.until(() => Promise.resolve(rig.look(emergency)?.answered === true));
      rig.engine.remoteHangup(emergency);
      await rig.until(() => Promise.resolve(rig.conductor.liveCalls === 0));
    });

    it('goes on in the hands of a new owner', async () => {
      const legId = dialOut('+966501234567');
      await rig.settle();
      const callId = await newest();
      await rig.untilStatus(callId, 'ringing');
      await rig.restart();
      await rig.untilStatus(callId, 'answered');
      await rig.until(() => Promise.resolve(rig.look(legId)?.bridgeId === callId));
      expect(await legs(callId), 'nobody is rung twice').to.have.length(2);
    });

    it('ends the call at once when no trunk leads there', async () => {
      await database.db.query(`UPDATE trunks SET is_default = false`);
      const legId = dialOut('+966501234567');
      await rig.settle();
      expect(await rig.untilStatus(await newest(), 'failed')).to.include({ disposition: 'failed' });
      expect(rig.look(legId)).to.equal(null);
    });
  });

  describe('control', () => {
    async function talking(): Promise<{ callId: string; customer: string; agent: string }> {
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.until(async () => (await legs(callId)).filter((leg) => leg.status === 'answered').length === 2);
      await rig.settle();
      const [customer, agent] = await legs(callId);
      return { callId, customer: customer!.id, agent: agent!.id };
    }
    const does = async (command: CallCommand): Promise<string> => {
      const { result } = await rig.conductor.command(command);
      await rig.settle();
      return result;
    };

    it('parks a held leg and brings it back to the other', async () => {
      const { callId, customer, agent } = await talking();
      expect(await does(control(callId, { action: 'hold' }))).to.equal('done');
      expect(rig.look(customer)).to.include({ held: true, bridgeId: null });
      expect(rig.look(agent)?.bridgeId).to.equal(callId);
      expect(await rig.calls.find(callId)).to.include({ on_hold: true });
      expect(await does(control(callId, { action: 'hold' })), 'a repeat').to.equal('done');
      expect(await does(control(callId, { action: 'unhold' }))).to.equal('done');
      expect(rig.look(customer)).to.include({ held: false, bridgeId: callId });
      expect((await rig.told(callId)).slice(3)).to.deep.equal(['call.held', 'call.resumed']);
    });

    it('holds the agent alone without marking the call', async () => {
      const { callId, customer, agent } = await talking();
      await does(control(callId, { action: 'hold' }, 'agent'));
      expect(rig.look(agent)?.held).to.equal(true);
      expect(rig.look(customer)?.held).to.equal(false);
      expect(await rig.calls.find(callId)).to.include({ on_hold: false });
      expect((await legs(callId)).map((leg) => leg.on_hold)).to.deep.equal([false, true]);
    });

    it('mutes and unmutes once each, however often it is asked', async () => {
      const { callId, customer } = await talking();
      for (const action of ['mute', 'mute', 'unmute', 'unmute'] as const) await does(control(callId, { action }));
      expect(rig.look(customer)?.muted).to.equal(false);
      expect((await rig.told(callId)).slice(3)).to.deep.equal(['call.muted', 'call.unmuted']);
    });

    it('notes how many digits were sent, not which', async () => {
      const { callId } = await talking();
      expect(await does(control(callId, { action: 'dtmf', digits: '4711#' }))).to.equal('done');
      const noted = await database.db.query(
        `SELECT data->>'digits_count' AS count FROM call_timeline WHERE call_id = $1 AND type = 'control.dtmf'`,
        [callId],
      );
      expect(noted).to.deep.equal([{ count: '5' }]);
      const leaked = await database.db.query(
        `SELECT 1 FROM call_timeline WHERE call_id = $1 AND data::text LIKE '%4711%'`,
        [callId],
      );
      expect(leaked).to.deep.equal([]);
    });

    it('keeps the held leg out of the bridge when the other party joins later', async () => {
      rig.parties.set('agent', { ...PARTIES.answers, answersAfterMs: 8_000 });
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.until(async () => (await legs(callId))[1]?.status === 'ringing');
      await does(control(callId, { action: 'hold' }));
      await rig.until(async () => (await legs(callId))[1]?.status === 'answered');
      await rig.settle();
      const [customer] = await legs(callId);
      expect(rig.look(customer!.id)).to.include({ held: true, bridgeId: null });
      await does(control(callId, { action: 'unhold' }));
      expect(rig.look(customer!.id)?.bridgeId).to.equal(callId);
    });

    it('hangs up the agent alone, which ends the call', async () => {
      const { callId } = await talking();
      await does(control(callId, { action: 'hangup' }, 'agent'));
      expect((await rig.untilStatus(callId, 'ended')).disposition).to.equal('answered');
    });

    it('is refused before the answer, without an agent, and after the end', async () => {
      const callId = await rig.place({ type: 'idle' });
      await rig.untilStatus(callId, 'ringing');
      expect(await does(control(callId, { action: 'hold' }))).to.equal('not_answered');
      await rig.untilStatus(callId, 'answered');
      expect(await does(control(callId, { action: 'mute' }, 'agent'))).to.equal('leg_not_connected');
      rig.engine.disconnect('the cable');
      expect(await does(control(callId, { action: 'mute' }))).to.equal('not_controllable');
      rig.engine.reconnect();
      await rig.settle();
      await rig.conductor.adopt();
      await does(control(callId, { action: 'hangup' }));
      await rig.untilStatus(callId, 'ended');
      expect(await does(control(callId, { action: 'mute' }))).to.equal('not_active');
    });
  });

  describe('a call that is to be recorded', () => {
    const options = {
      ring_timeout_seconds: 30,
      max_duration_seconds: 600,
      record: true,
      send_digits: null,
    };

    const announce = (language: string): Promise<unknown> =>
      database.db.query(`UPDATE projects SET recording_announcement = $1 WHERE id = $2`, [
        language,
        rig.ground.projectId,
      ]);
    const noted = async (callId: string): Promise<string[]> =>
      (
        await database.db.query<{ type: string }>('SELECT type FROM call_timeline WHERE call_id = $1 ORDER BY id', [
          callId,
        ])
      ).map(({ type }) => type);

    it('goes on where the engine cannot record, and says so', async () => {
      const callId = await rig.place({ type: 'play', paths: ['/prompts/hello'] }, { options });
      await rig.untilStatus(callId, 'ended');
      expect(await noted(callId)).to.include('recording.refused');
      expect((await rig.calls.recordingsOf([callId])).map(({ status }) => status)).to.deep.equal(['stopped']);
    });

    it('waits with what it is for until the customer has heard the announcement', async () => {
      await announce('both');
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } }, { options });
      await rig.untilStatus(callId, 'answered');
      expect(await legs(callId)).to.have.length(1);
      await rig.until(async () => (await legs(callId)).length === 2);
      expect(await noted(callId)).to.include('play.finished');
    });

    it('is announced again by a new owner when its owner went in the middle of it', async () => {
      await announce('en');
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } }, { options });
      await rig.untilStatus(callId, 'answered');
      await rig.restart();
      expect(await legs(callId)).to.have.length(1);
      await rig.until(async () => (await legs(callId)).length === 2);
      expect((await noted(callId)).filter((type) => type === 'play.finished')).to.have.length.of.at.least(1);
      // Once it was heard, a later owner does not say it again.
      const heard = (await noted(callId)).filter((type) => type === 'play.finished').length;
      await rig.restart();
      await rig.settle();
      expect((await noted(callId)).filter((type) => type === 'play.finished')).to.have.length(heard);
    });

    it('ends when the customer hangs up during the announcement', async () => {
      await announce('ar');
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } }, { options });
      await rig.untilStatus(callId, 'answered');
      rig.engine.remoteHangup((await legs(callId))[0]!.id);
      await rig.untilStatus(callId, 'ended');
      expect(await legs(callId)).to.have.length(1);
    });

    it('is not recorded where the announcement cannot be spoken, at once or on command', async () => {
      await announce('ar');
      rig.hasVoice = false;
      const callId = await rig.place({ type: 'idle' }, { options });
      await rig.untilStatus(callId, 'answered');
      expect(await noted(callId)).to.include('recording.not_announced');
      const start = control(callId, { action: 'recording_start', channels: 2, maxSeconds: null });
      expect(await rig.conductor.command(start)).to.deep.equal({ result: 'not_announced' });
      expect(await rig.calls.recordingsOf([callId])).to.deep.equal([]);
    });
  });

  describe('a new owner', () => {
    it('rings a call on that is placed while others are taken over', async () => {
      const list = rig.engine.list.bind(rig.engine);
      let callId = '';
      // The engine tells what it has; before that is looked at somebody is rung.
      rig.engine.list = async () => {
        const snapshot = await list();
        callId = await rig.place({ type: 'idle' });
        await rig.settle();
        return snapshot;
      };
      try {
        await rig.conductor.adopt();
      } finally {
        rig.engine.list = list;
      }
      await rig.untilStatus(callId, 'answered');
    });

    it('takes a talking call over and ends it when the customer hangs up', async () => {
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.until(async () => (await legs(callId)).filter((leg) => leg.status === 'answered').length === 2);
      await rig.restart();
      expect(rig.conductor.liveCalls).to.equal(1);
      rig.engine.remoteHangup((await legs(callId))[0]!.id);
      await rig.untilStatus(callId, 'ended');
      await rig.until(async () => (await legs(callId)).every((leg) => leg.status === 'ended'));
      expect(await rig.told(callId)).to.deep.equal(['call.initiated', 'call.ringing', 'call.answered', 'call.ended']);
    });

    it('ends a call normally whose other party had hung up and whose customer was not let go yet', async () => {
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.until(async () => (await legs(callId)).filter((leg) => leg.status === 'answered').length === 2);
      await rig.settle();
      const hangup = rig.engine.legs.hangup.bind(rig.engine.legs);
      rig.engine.legs.hangup = () => Promise.reject(new EngineError('unreachable', 'the process died here'));
      rig.engine.remoteHangup((await legs(callId))[1]!.id);
      await rig.until(async () => (await legs(callId))[1]?.status === 'ended');
      await rig.settle();
      rig.engine.legs.hangup = hangup;
      await rig.restart();
      const call = await rig.untilStatus(callId, 'ended');
      expect(call).to.include({ disposition: 'answered', hangup_q850: 16 });
    });

    it('tells of a call that ended meanwhile, marked as recovered', async () => {
      const callId = await rig.place({ type: 'idle' });
      await rig.untilStatus(callId, 'answered');
      await rig.conductor.stop();
      const deaf = rig.conductor;
      rig.lease.mayCommand = false;
      deaf.handle = () => undefined;
      rig.engine.remoteHangup((await legs(callId))[0]!.id);
      rig.lease.mayCommand = true;
      await rig.restart();
      const call = await rig.untilStatus(callId, 'ended');
      expect(call.ended_at).not.to.equal(null);
      const [last] = await database.db.query<{ recovered: boolean }>(
        `SELECT recovered FROM events WHERE call_id = $1 ORDER BY sequence DESC LIMIT 1`,
        [callId],
      );
      expect(last?.recovered).to.equal(true);
    });

    it('keeps its predecessor from writing', async () => {
      const callId = await rig.place({ type: 'idle' });
      await rig.untilStatus(callId, 'ringing');
      await database.db.query(`UPDATE engines SET epoch = 99 WHERE id = $1`, [rig.ground.engineId]);
      await rig.until(() => Promise.resolve(rig.lease.epoch === null));
      expect((await rig.calls.find(callId))?.status).to.equal('ringing');
    });

    it('hangs up a leg that belongs to no call', async () => {
      const legId = rig.engine.callIn({ source: trunk, dialled: rig.line, callerId: { number: CUSTOMER, name: null } });
      await rig.settle();
      await rig.clock.advance(1_000);
      await rig.settle();
      for (const table of ['call_timeline', 'events', 'legs']) {
        await database.db.query(`DELETE FROM ${table} WHERE call_id IN (SELECT id FROM calls WHERE engine_id = $1)`, [
          rig.ground.engineId,
        ]);
      }
      await database.db.query(`DELETE FROM calls WHERE engine_id = $1`, [rig.ground.engineId]);
      await rig.restart();
      await rig.clock.advance(2_000);
      await rig.settle();
      expect(rig.look(legId)).to.equal(null);
    });
  });

  it('waits for a call to end when it drains, and takes no new one', async () => {
    const callId = await rig.place({ type: 'idle' });
    await rig.untilStatus(callId, 'answered');
    let left: number | undefined;
    const drained = rig.conductor.drain(3_600_000).then((count) => (left = count));
    const refused = rig.engine.callIn({ source: trunk, dialled: rig.line, callerId: { number: CUSTOMER, name: null } });
    await rig.settle();
    expect(rig.look(refused)).to.equal(null);
    expect(left).to.equal(undefined);
    rig.engine.remoteHangup((await legs(callId))[0]!.id);
    await rig.settle();
    await drained;
    expect(left).to.equal(0);
  });
});
