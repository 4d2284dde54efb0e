import { expect } from 'chai';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { TrunkRoutes } from '../../../core/data/repositories/engines/trunk-routes.js';
import { Trunks } from '../../../core/data/repositories/engines/trunks.js';
import type { LegRow, TrunkRow } from '../../../core/data/rows.js';
import { graphDefinition } from '../../../core/model/flow/definition.js';
import { newId } from '../../../core/model/ids.js';
import { EngineError, type LegEndpoint } from '../../../core/ports/engine.js';
import { presentCall } from '../../../core/services/call-state/presenting/call.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import { activeFlow } from '../../support/calls/flows.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';
import { trunkRow } from '../../support/rows/trunk-row.js';

const PROGRESS_THEN_503 = { ...PARTIES.carrierFails, ringsAfterMs: 100 };
const trunkOf = ({ endpoint }: LegRow): string => (endpoint as Extract<LegEndpoint, { type: 'trunk' }>).trunkId;

describe('a call through several trunks', () => {
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));

  /** Adds a trunk that carries the calls of this organization, after those that were added before. */
  async function trunk(priority: number, changes: Partial<TrunkRow> = {}): Promise<string> {
    const row = trunkRow(newId(), { is_default: false, ...changes });
    await new Trunks(rig.db).create(row);
    await new TrunkRoutes(rig.db).add({
      ...{ id: newId(), organization_id: rig.ground.organizationId, trunk_id: row.id, prefix: '966' },
      ...{ hours: null, priority, weight: 1, cost: null, created_at: new Date() },
    });
    rig.directory.invalidate();
    return row.id;
  }
  const attempts = async (callId: string): Promise<string[]> => (await rig.legs(callId)).map(trunkOf);
  /** @returns what the engine is asked to dial from now on */
  function watchDialling(): readonly LegEndpoint[] {
    const dialled: LegEndpoint[] = [];
    const { legs } = rig.engine;
    const originate = legs.originate.bind(legs);
    legs.originate = (request) => {
      dialled.push(request.endpoint);
      return originate(request);
    };
    return dialled;
  }
  const notes = async (callId: string): Promise<string[]> => {
    const sql = `SELECT type FROM call_timeline WHERE call_id = $1 ORDER BY id`;
    return (await rig.db.query<{ type: string }>(sql, [callId])).map(({ type }) => type);
  };

  it('rings by the next one if the carrier fails, and shows one leg', async () => {
    const [first, second] = [await trunk(1), await trunk(2)];
    rig.parties.set(first, PARTIES.carrierFails);
    const callId = await rig.place({ type: 'play', paths: ['/prompts/hello'] });
    const call = await rig.untilStatus(callId, 'ended');
    expect(call).to.include({ disposition: 'answered', hangup_q850: 16 });
    const legs = await rig.legs(callId);
    expect(legs.map(trunkOf)).to.deep.equal([first, second]);
    expect(legs[0]).to.include({ status: 'ended', hangup_sip_code: 503, answered_at: null });
    expect(legs[1]?.endpoint).to.include({ after: legs[0]?.id });
    expect(presentCall(call, legs).legs).to.have.length(1);
    expect(await rig.charges(callId)).to.have.length(1);
    expect(await notes(callId)).to.include('leg.rerouted');
    expect(await rig.eventTypes(callId)).to.deep.equal([
      ...['call.initiated', 'call.ringing', 'call.answered', 'call.ended'],
    ]);
  });

  it('rings by the next one if the trunk does not answer', async () => {
    const [first, second] = [await trunk(1), await trunk(2)];
    rig.parties.set(first, PARTIES.trunkIsSilent);
    const callId = await rig.place({ type: 'idle' });
    await rig.untilStatus(callId, 'answered');
    expect(await attempts(callId)).to.deep.equal([first, second]);
  });

  it('rings by the next one if it was given up before it rang, and the trunk answers no probe either', async () => {
    const [first, second] = [await trunk(1), await trunk(2)];
    rig.parties.set(first, PARTIES.neverRings);
    const callId = await rig.place({ type: 'idle' });
    await rig.until(async () => (await rig.legs(callId)).length > 0);
    rig.silentTrunks.add(first);
    await rig.untilStatus(callId, 'answered');
    expect(await attempts(callId)).to.deep.equal([first, second]);
  });

  for (const [party, status] of [
    ['busy', 'missed'],
    ['rejects', 'missed'],
    ['unknownNumber', 'failed'],
    ['ringsOut', 'missed'],
    ['neverAnswers', 'missed'],
    ['neverRings', 'timeout'],
  ] as const) {
    it(`does not ring by the next one if the other side ${party}`, async () => {
      const first = await trunk(1);
      await trunk(2);
      rig.parties.set(first, PARTIES[party]);
      const callId = await rig.place({ type: 'idle' });
      await rig.untilStatus(callId, status);
      expect(await attempts(callId)).to.deep.equal([first]);
    });
  }

  it('does not ring by the next one after the phone rang or sent audio', async () => {
    const first = await trunk(1);
    await trunk(2);
    rig.parties.set(first, PROGRESS_THEN_503);
    const callId = await rig.place({ type: 'idle' });
    await rig.untilStatus(callId, 'failed');
    expect(await attempts(callId)).to.deep.equal([first]);
  });

  it('fails with the last cause if no trunk carries it', async () => {
    const trunks = [await trunk(1), await trunk(2)];
    for (const id of trunks) rig.parties.set(id, PARTIES.carrierFails);
    const callId = await rig.place({ type: 'idle' });
    const call = await rig.untilStatus(callId, 'failed');
    expect(call).to.include({ disposition: 'congestion', hangup_sip_code: 503 });
    expect(await attempts(callId)).to.deep.equal(trunks);
    expect(rig.controller.liveCalls).to.equal(0);
  });

  it('tries at most five trunks', async () => {
    const trunks: string[] = [];
    for (let priority = 1; priority <= 6; priority += 1) trunks.push(await trunk(priority));
    for (const id of trunks) rig.parties.set(id, PARTIES.carrierFails);
    const callId = await rig.place({ type: 'idle' });
    await rig.untilStatus(callId, 'failed');
    expect(await attempts(callId)).to.deep.equal(trunks.slice(0, 5));
  });

  it('is connected with an agent after a failed attempt', async () => {
    const [first, second] = [await trunk(1), await trunk(2)];
    rig.parties.set(first, PARTIES.carrierFails);
    const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
    await rig.untilBothAnswered(callId);
    expect((await attempts(callId)).slice(0, 2)).to.deep.equal([first, second]);
  });

  it('of a caller who is forwarded outside reaches the party by the next trunk', async () => {
    const [first, second] = [await trunk(1), await trunk(2)];
    rig.parties.set(first, PARTIES.carrierFails);
    const callId = await rig.place({ type: 'connect', to: { type: 'number', target: '+966501234518' } });
    await rig.untilBothAnswered(callId);
    const legs = await rig.legs(callId);
    // The customer's and the party's, each once by the first trunk and once by the second.
    expect(legs.map((leg) => [leg.role, trunkOf(leg)])).to.deep.equal([
      ['customer', first],
      ['customer', second],
      ['agent', first],
      ['agent', second],
    ]);
    const bridges = (): (string | null | undefined)[] => [legs[1], legs[3]].map((leg) => rig.look(leg!.id)?.bridgeId);
    await rig.until(() => Promise.resolve(bridges().every((id) => id === callId)));
  });

  it('that a flow dials reaches the party by the next trunk, and is joined with it', async () => {
    const [first, second] = [await trunk(1), await trunk(2)];
    rig.parties.set(first, PARTIES.carrierFails);
    const dial = { type: 'dial', to: { type: 'number', target: '+966501234518' }, next: 'end' };
    const graph = graphDefinition.parse({ start: 'n', nodes: { n: dial, end: { type: 'hangup' } } });
    const { organizationId, projectId } = rig.ground;
    const target = await activeFlow(rig.db, { organizationId, projectId }, graph);
    const numbers = new Numbers(rig.db);
    await numbers.setBinding((await numbers.findByE164(rig.line))!.id, { type: 'callflow', target });
    const dialled = watchDialling();
    const legId = rig.engine.callIn({
      source: TRUNK_SOURCE,
      dialled: rig.line,
      callerId: { number: CUSTOMER, name: null },
    });
    await rig.settle();
    const callId = await rig.newest();
    await rig.until(() => Promise.resolve(rig.look(legId)?.bridgeId === callId));
    const legs = await rig.legs(callId);
    expect(legs.slice(1).map(trunkOf)).to.deep.equal([first, second]);
    expect(dialled[1], 'the carrier learns that the line forwards the call').to.deep.include({
      diversion: { number: rig.line, case: 'always' },
    });
    await rig.until(() => Promise.resolve(rig.look(legs[2]!.id)?.bridgeId === callId));
    rig.engine.remoteHangup(legs[2]!.id);
    expect(await rig.untilStatus(callId, 'ended')).to.include({ disposition: 'answered' });
  });

  it('that an agent forwards outside stays the agent’s forward by the next trunk', async () => {
    const [first, second] = [await trunk(1), await trunk(2, { diversion: false })];
    rig.parties.set(first, PARTIES.carrierFails);
    const { projectId } = rig.ground;
    const to = { type: 'number', target: '+966559876543' } as const;
    await rig.forwarding.manage.change(projectId, '1001', { always: to });
    await rig.db.query(`UPDATE agents SET fraud_limits = '{"calls_per_hour": 5}' WHERE agent = '1001'`);
    rig.directory.invalidate();
    const dialled = watchDialling();
    const callerId = { number: CUSTOMER, name: null };
    const legId = rig.engine.callIn({ source: TRUNK_SOURCE, dialled: rig.agentNumber, callerId });
    await rig.settle();
    const callId = await rig.newest();
    await rig.until(() => Promise.resolve(rig.look(legId)?.bridgeId === callId));
    const forwards = (await rig.legs(callId)).slice(1);
    expect(forwards.map(trunkOf)).to.deep.equal([first, second]);
    const diversion = { number: rig.agentNumber, case: 'always' };
    for (const { endpoint } of forwards) expect(endpoint).to.deep.include({ forwarder: '1001', diversion });
    expect(dialled[0], 'the first carrier learns whose call it is').to.deep.include({ diversion });
    expect(dialled[1], 'the second one wants no Diversion').not.to.have.property('diversion');
    const counted = await rig.db.query<object>(`SELECT agent, leg_id FROM outside_legs WHERE project_id = $1`, [
      projectId,
    ]);
    expect(counted).to.deep.equal([{ agent: '1001', leg_id: forwards[1]?.id }]);
  });

  for (const [what, spec] of [
    ['a customer', { type: 'idle' }],
    ['the party of a caller', { type: 'connect', to: { type: 'number', target: '+966501234518' } }],
  ] as const) {
    it(`reaches ${what} by the next trunk if the engine refuses the first one`, async () => {
      const [first, second] = [await trunk(1), await trunk(2)];
      const { legs } = rig.engine;
      const originate = legs.originate.bind(legs);
      legs.originate = (request) => {
        const isUnknown = request.endpoint.type === 'trunk' && request.endpoint.trunkId === first;
        return isUnknown ? Promise.reject(new EngineError('rejected', 'no such trunk')) : originate(request);
      };
      const callId = await rig.place(spec);
      if (spec.type === 'idle') await rig.untilStatus(callId, 'answered');
      else await rig.untilBothAnswered(callId);
      const tried = await attempts(callId);
      expect(tried).to.deep.equal(spec.type === 'idle' ? [first, second] : [first, second, first, second]);
      expect((await rig.legs(callId))[0]).to.include({ status: 'ended', answered_at: null });
    });
  }

  it('fails if the engine refuses every trunk', async () => {
    const trunks = [await trunk(1), await trunk(2)];
    rig.engine.legs.originate = () => Promise.reject(new EngineError('rejected', 'no such trunk'));
    const callId = await rig.place({ type: 'idle' });
    expect(await rig.untilStatus(callId, 'failed')).to.include({ hangup_q850: 41 });
    expect(await attempts(callId)).to.deep.equal(trunks);
  });

  it('is not continued by the next trunk if its caller hung up meanwhile', async () => {
    const first = await trunk(1);
    await trunk(2);
    const callId = await rig.place({ type: 'connect', to: { type: 'number', target: '+966501234518' } });
    await rig.untilStatus(callId, 'answered');
    const [customer, party] = await rig.legs(callId);
    expect(party).to.include({ status: 'created' });
    rig.engine.remoteHangup(customer!.id);
    await rig.untilStatus(callId, 'ended');
    await rig.until(async () => (await rig.legs(callId)).every(({ status }) => status === 'ended'));
    expect(await attempts(callId)).to.deep.equal([first, first]);
  });

  it('continues by the next trunk after another process took it over', async () => {
    const [first, second] = [await trunk(1), await trunk(2)];
    rig.parties.set(first, { ...PARTIES.carrierFails, refuses: { afterMs: 5_000, q850: 34, sipCode: 503 } });
    const callId = await rig.place({ type: 'idle' });
    await rig.until(async () => (await rig.legs(callId)).length === 1);
    await rig.settle();
    // Engines with telephones say that it has not rung yet.
    const list = rig.engine.list.bind(rig.engine);
    rig.engine.list = async () => {
      const { legs, ...snapshot } = await list();
      return { ...snapshot, legs: legs.map((leg) => ({ ...leg, state: 'dialled' })) };
    };
    await rig.restart();
    await rig.untilStatus(callId, 'answered');
    expect(await attempts(callId)).to.deep.equal([first, second]);
  });

  it('does not ring again if its end was missed', async () => {
    const first = await trunk(1);
    await trunk(2);
    rig.parties.set(first, PARTIES.carrierFails);
    const callId = await rig.place({ type: 'idle' });
    await rig.until(async () => (await rig.legs(callId)).length === 1);
    rig.lease.mayCommand = false;
    await rig.untilStatus(callId, 'failed');
    expect(await attempts(callId)).to.deep.equal([first]);
    rig.lease.mayCommand = true;
  });

  it('takes the next trunk while the first one is full, and fails while all are', async () => {
    const [first, second] = [await trunk(1, { capacity: 1 }), await trunk(2, { capacity: 1 })];
    const [one, other] = [await rig.place({ type: 'idle' }), await rig.place({ type: 'idle' })];
    await rig.untilStatus(one, 'answered');
    await rig.untilStatus(other, 'answered');
    expect([...(await attempts(one)), ...(await attempts(other))]).to.have.members([first, second]);
    const third = await rig.untilStatus(await rig.place({ type: 'idle' }), 'failed');
    expect(third).to.include({ disposition: 'congestion', hangup_q850: 34 });
    expect(await rig.legs(third.id)).to.deep.equal([]);
    await rig.engine.legs.hangup((await rig.legs(one))[0]!.id);
    await rig.untilStatus(one, 'ended');
    const again = await rig.place({ type: 'idle' });
    await rig.untilStatus(again, 'answered');
    expect(await attempts(again)).to.deep.equal(await attempts(one));
  });

  it('takes a trunk that leaves probes unanswered last', async () => {
    const [first, second] = [await trunk(1), await trunk(2)];
    rig.silentTrunks.add(first);
    const callId = await rig.place({ type: 'idle' });
    await rig.untilStatus(callId, 'answered');
    expect(await attempts(callId)).to.deep.equal([second]);
  });

  it('counts once towards the limits against toll fraud', async () => {
    const [first] = [await trunk(1), await trunk(2)];
    rig.parties.set(first, PARTIES.carrierFails);
    const limits = { project: { calls_per_hour: 5 }, agents: {} };
    await rig.db.query(`UPDATE projects SET fraud_limits = $2 WHERE id = $1`, [rig.ground.projectId, limits]);
    rig.directory.invalidate();
    const callId = await rig.place({ type: 'idle' });
    await rig.untilStatus(callId, 'answered');
    const counted = await rig.db.query<{ leg_id: string }>(`SELECT leg_id FROM outside_legs WHERE project_id = $1`, [
      rig.ground.projectId,
    ]);
    expect(counted.map(({ leg_id }) => leg_id)).to.deep.equal([(await rig.legs(callId))[1]?.id]);
  });

  it('takes the default trunk if no route fits', async () => {
    await trunk(1, { enabled: false });
    const callId = await rig.place({ type: 'idle' }, { customer_number: CUSTOMER });
    await rig.untilStatus(callId, 'answered');
    const trunks = await new Trunks(rig.db).list();
    expect(await attempts(callId)).to.deep.equal([trunks.find(({ is_default }) => is_default)?.id]);
  });
});
