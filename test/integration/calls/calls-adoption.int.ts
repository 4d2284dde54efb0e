import { expect } from 'chai';
import { hangupCause } from '../../../core/model/call/hangup-cause.js';
import { EngineError } from '../../../core/ports/engine.js';
import type { CallDetail, LegDetail } from '../../../core/ports/call-detail.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import { callControllerEach } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

const CONNECT = { type: 'connect', to: { type: 'agent', target: '1001' } } as const;
const EXPECTED_EVENTS = ['call.initiated', 'call.ringing', 'call.answered', 'call.ended'];

describe('catching up with the engine', () => {
  let rig: CallControllerRig;
  /** The engine's call records by leg, and the legs that were looked up. */
  const records = new Map<string, LegDetail>();
  const lookedUp: string[] = [];
  const detail: CallDetail = {
    of: (wanted) => {
      lookedUp.push(...wanted.map(({ id }) => id));
      return Promise.resolve(records);
    },
  };
  beforeEach(() => {
    records.clear();
    lookedUp.length = 0;
  });
  callControllerEach((made) => (rig = made), { detail });

  const legOf = async (callId: string, role: 'customer' | 'agent') =>
    (await rig.legs(callId)).find((leg) => leg.role === role)!;
  async function conversation(): Promise<string> {
    const callId = await rig.place(CONNECT);
    await rig.untilBothAnswered(callId);
    return callId;
  }
  async function leaseRegained(): Promise<void> {
    rig.lease.mayCommand = true;
    await rig.controller.adopt();
    await rig.settle();
  }

  describe('after the lease had expired', () => {
    it('hangs up the other party if one left meanwhile', async () => {
      const callId = await conversation();
      const agent = await legOf(callId, 'agent');
      rig.lease.mayCommand = false;
      rig.engine.remoteHangup((await legOf(callId, 'customer')).id);
      await rig.untilStatus(callId, 'ended');
      expect(rig.look(agent.id)).not.to.equal(null);
      await leaseRegained();
      await rig.until(async () => (await legOf(callId, 'agent')).status === 'ended');
      expect(rig.look(agent.id)).to.equal(null);
      expect(await rig.eventTypes(callId)).to.deep.equal(EXPECTED_EVENTS);
      expect(rig.controller.liveCalls).to.equal(0);
    });

    it('handles an answer that came meanwhile', async () => {
      const callId = await rig.place(CONNECT);
      await rig.untilStatus(callId, 'ringing');
      rig.lease.mayCommand = false;
      await rig.untilStatus(callId, 'answered');
      expect(await rig.legs(callId)).to.have.length(1);
      await leaseRegained();
      await rig.untilBothAnswered(callId);
      rig.engine.remoteHangup((await legOf(callId, 'agent')).id);
      await rig.untilStatus(callId, 'ended');
      expect(await rig.eventTypes(callId)).to.deep.equal(EXPECTED_EVENTS);
    });

    it('stops the ringback at the join even if its owner died just after starting it', async () => {
      const callId = await rig.place(CONNECT);
      await rig.until(async () => (await rig.legs(callId)).length === 2);
      const saved = async () =>
        (await rig.calls.find(callId))!.program as { state: { ringback: string; phase: string } };
      const { ringback } = (await saved()).state;
      // State as it was written with the leg, before the ringback was started and recorded.
      await rig.db.query(`UPDATE calls SET program = jsonb_set(program, '{state,calleeLegId}', 'null') WHERE id = $1`, [
        callId,
      ]);
      const stopped: string[] = [];
      const stop = rig.engine.media.stop.bind(rig.engine.media);
      rig.engine.media.stop = (playbackId) => {
        stopped.push(playbackId);
        return stop(playbackId);
      };
      await rig.restart();
      await rig.until(async () => (await saved()).state.phase === 'joined');
      expect(stopped).to.include(ringback);
    });

    it('does not change calls that missed no event', async () => {
      const callId = await conversation();
      const before = await rig.eventTypes(callId);
      rig.lease.mayCommand = false;
      await leaseRegained();
      expect(await rig.eventTypes(callId)).to.deep.equal(before);
      expect(await rig.legs(callId)).to.have.length(2);
    });
  });

  describe('after its connection broke', () => {
    for (const kind of ['unreachable', 'timeout', 'indeterminate'] as const) {
      it(`repeats a join that failed as ${kind}`, async () => {
        const create = rig.engine.bridges.create.bind(rig.engine.bridges);
        rig.engine.bridges.create = () => {
          rig.engine.disconnect('the cable');
          return Promise.reject(new EngineError(kind, 'the cable'));
        };
        const callId = await conversation();
        await rig.controller.idle();
        rig.engine.bridges.create = create;
        expect(rig.controller.liveCalls).to.equal(1);
        rig.engine.reconnect();
        await rig.settle();
        await rig.controller.adopt();
        const phase = async () => ((await rig.calls.find(callId))!.program as { state: { phase: string } }).state.phase;
        await rig.until(async () => (await phase()) === 'joined');
        expect(rig.look((await legOf(callId, 'agent')).id)).to.include({ bridgeId: callId });
      });
    }
  });

  describe('while its connection is broken', () => {
    /** Breaks the connection at the originate request with this number, counted from 1. */
    function breakAt(turn: number): () => void {
      const originate = rig.engine.legs.originate.bind(rig.engine.legs);
      let turns = 0;
      rig.engine.legs.originate = (request) => {
        turns += 1;
        if (turns !== turn) return originate(request);
        rig.engine.disconnect('the cable');
        return Promise.reject(new EngineError('unreachable', 'the cable'));
      };
      return () => (rig.engine.legs.originate = originate);
    }

    it('keeps a customer who answered, and rings the other party once the connection is back', async () => {
      const repair = breakAt(2);
      const callId = await rig.place(CONNECT);
      await rig.until(async () => (await rig.legs(callId)).length === 2);
      await rig.controller.idle();
      repair();
      expect((await rig.calls.find(callId))!.status).to.equal('answered');
      rig.engine.reconnect();
      await rig.settle();
      await rig.controller.adopt();
      await rig.untilBothAnswered(callId);
    });

    it('rings a customer if the connection is back within 15 seconds, but not later', async () => {
      for (const [awayMs, status] of [
        [10_000, 'answered'],
        [20_000, 'failed'],
      ] as const) {
        const repair = breakAt(1);
        const callId = await rig.place({ type: 'idle' });
        await rig.controller.idle();
        repair();
        await rig.clock.advance(awayMs);
        expect((await rig.calls.find(callId))!.status).to.equal('initiated');
        rig.engine.reconnect();
        await rig.settle();
        await rig.controller.adopt();
        await rig.untilStatus(callId, status);
      }
    });
  });

  describe('with the engine’s call records', () => {
    const at = (seconds: number): Date => new Date(rig.clock.now().getTime() - 60_000 + seconds * 1000);
    const end = (seconds: number, q850: number) => ({ at: at(seconds), cause: hangupCause(q850, null) });

    /** Runs `work` while no process receives events. */
    async function unseen(work: () => void): Promise<void> {
      await rig.controller.stop();
      const deaf = rig.controller;
      deaf.handle = () => undefined;
      work();
      await rig.restart();
    }
    const eventsOf = (callId: string) =>
      rig.db.query<{ type: string; recovered: boolean; created_at: Date }>(
        `SELECT type, recovered, created_at FROM events WHERE call_id = $1 ORDER BY sequence`,
        [callId],
      );

    it('ends each leg with its actual time and cause, and charges it', async () => {
      const callId = await conversation();
      const [customer, agent] = [await legOf(callId, 'customer'), await legOf(callId, 'agent')];
      await rig.clock.advance(100_000);
      records.set(agent.id, { answeredAt: agent.answered_at, end: end(31, 16) });
      records.set(customer.id, { answeredAt: customer.answered_at, end: end(30, 31) });
      await unseen(() => [customer, agent].forEach(({ id }) => rig.engine.remoteHangup(id)));
      const call = await rig.untilStatus(callId, 'ended');
      expect(call).to.deep.include({ ended_at: at(30), hangup_q850: 31, disposition: 'answered' });
      expect((await legOf(callId, 'agent')).ended_at).to.deep.equal(at(31));
      const [charge] = await rig.charges(callId);
      expect(charge?.seconds).to.equal(Math.round((at(30).getTime() - customer.answered_at!.getTime()) / 1000));
      expect((await eventsOf(callId)).at(-1)).to.deep.equal({
        type: 'call.ended',
        recovered: true,
        created_at: at(30),
      });
    });

    it('finds a missed answer and its end', async () => {
      const callId = await rig.place(CONNECT);
      await rig.untilStatus(callId, 'ringing');
      const customer = await legOf(callId, 'customer');
      await rig.clock.advance(1_000);
      await rig.controller.stop();
      records.set(customer.id, { answeredAt: at(50), end: end(55, 16) });
      await unseen(() => rig.engine.remoteHangup(customer.id));
      const call = await rig.untilStatus(callId, 'ended');
      expect(call).to.deep.include({ answered_at: at(50), ended_at: at(55), hangup_q850: 16 });
      expect(await rig.eventTypes(callId)).to.deep.equal(EXPECTED_EVENTS);
      expect((await eventsOf(callId)).map(({ recovered }) => recovered)).to.deep.equal([false, false, true, true]);
    });

    it('ends a leg now, with a guessed cause, if the engine has no record of the end', async () => {
      const callId = await rig.place(CONNECT);
      await rig.untilStatus(callId, 'ringing');
      const customer = await legOf(callId, 'customer');
      await rig.clock.advance(1_000);
      await rig.controller.stop();
      records.set(customer.id, { answeredAt: at(50), end: null });
      await unseen(() => rig.engine.remoteHangup(customer.id));
      const call = await rig.untilStatus(callId, 'ended');
      expect(call).to.deep.include({ answered_at: at(50), hangup_q850: 16, disposition: 'answered' });
      expect(call.ended_at!.getTime()).to.be.at.least(at(60).getTime());
    });

    it('ends legs lost with a dead engine at the time it was last reached, with cause 27 (out of order)', async () => {
      const callId = await conversation();
      const talked = (await legOf(callId, 'customer')).answered_at!;
      const diedAt = new Date(talked.getTime() + 7_000);
      await rig.clock.advance(90_000);
      const legs = await rig.legs(callId);
      rig.controller.handle({ type: 'engine.connected', bootId: 'another', version: '1' });
      for (const { id } of legs) rig.engine.remoteHangup(id);
      await rig.controller.adopt(diedAt);
      const call = await rig.untilStatus(callId, 'ended');
      expect(call).to.deep.include({ ended_at: diedAt, hangup_q850: 27, disposition: 'answered' });
      expect((await rig.charges(callId))[0]?.seconds).to.equal(7);
      expect(await rig.eventTypes(callId)).to.deep.equal(EXPECTED_EVENTS);
    });

    it('ends the calls of an engine that stays away when it was last reached: nobody pays for the wait', async () => {
      const callId = await conversation();
      const talked = (await legOf(callId, 'customer')).answered_at!;
      const reachedAt = new Date(talked.getTime() + 7_000);
      await rig.clock.advance(90_000);
      await rig.controller.giveUp(reachedAt);
      const call = await rig.untilStatus(callId, 'ended');
      expect(call).to.deep.include({ ended_at: reachedAt, hangup_q850: 27, disposition: 'answered' });
      expect((await rig.charges(callId))[0]?.seconds).to.equal(7);
    });

    for (const [seconds, status] of [
      [32, 'timeout'],
      [5, 'missed'],
    ] as const) {
      it(`reports a leg that never rang and ended after ${seconds} s as ${status}`, async () => {
        rig.parties.set(CUSTOMER, PARTIES.neverRings);
        const callId = await rig.place({ type: 'idle' });
        await rig.settle();
        const customer = await legOf(callId, 'customer');
        const endedAt = new Date(customer.created_at.getTime() + seconds * 1000);
        records.set(customer.id, { answeredAt: null, end: { at: endedAt, cause: hangupCause(19, 480) } });
        await unseen(() => rig.engine.remoteHangup(customer.id));
        expect(await rig.untilStatus(callId, status)).to.deep.include({ ended_at: endedAt, disposition: 'no_answer' });
      });
    }

    it('reads the records only of legs whose events were missed', async () => {
      const callId = await conversation();
      await unseen(() => undefined);
      expect(lookedUp).to.deep.equal([]);
      const agent = await legOf(callId, 'agent');
      await unseen(() => rig.engine.remoteHangup(agent.id));
      expect(lookedUp).to.deep.equal([agent.id]);
    });
  });
});
