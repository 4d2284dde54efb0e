import { expect } from 'chai';
import { hangupCause } from '../../../core/model/call/hangup-cause.js';
import { EngineError } from '../../../core/ports/engine.js';
import type { CallDetail, LegDetail } from '../../../core/ports/call-detail.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import { conductorEach } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type ConductorRig } from '../../support/stages/call-controller.js';

const CONNECT = { type: 'connect', to: { type: 'agent', target: '1001' } } as const;
const TOLD = ['call.initiated', 'call.ringing', 'call.answered', 'call.ended'];

describe('catching up with the engine', () => {
  let rig: ConductorRig;
  /** What the engine's record says, by leg; and which legs it was asked about. */
  const noted = new Map<string, LegDetail>();
  const asked: string[] = [];
  const detail: CallDetail = {
    of: (wanted) => {
      asked.push(...wanted.map(({ id }) => id));
      return Promise.resolve(noted);
    },
  };
  beforeEach(() => {
    noted.clear();
    asked.length = 0;
  });
  conductorEach((made) => (rig = made), { detail });

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

  describe('after the lease had run out', () => {
    it('lets the other party go when one left meanwhile', async () => {
      const callId = await conversation();
      const agent = await legOf(callId, 'agent');
      rig.lease.mayCommand = false;
      rig.engine.remoteHangup((await legOf(callId, 'customer')).id);
      await rig.untilStatus(callId, 'ended');
      expect(rig.look(agent.id)).not.to.equal(null);
      await leaseRegained();
      await rig.until(async () => (await legOf(callId, 'agent')).status === 'ended');
      expect(rig.look(agent.id)).to.equal(null);
      expect(await rig.told(callId)).to.deep.equal(TOLD);
      expect(rig.controller.liveCalls).to.equal(0);
    });

    it('does what an answer called for', async () => {
      const callId = await rig.place(CONNECT);
      await rig.untilStatus(callId, 'ringing');
      rig.lease.mayCommand = false;
      await rig.untilStatus(callId, 'answered');
      expect(await rig.legs(callId)).to.have.length(1);
      await leaseRegained();
      await rig.untilBothAnswered(callId);
      rig.engine.remoteHangup((await legOf(callId, 'agent')).id);
      await rig.untilStatus(callId, 'ended');
      expect(await rig.told(callId)).to.deep.equal(TOLD);
    });

    it('knows the ringback that was begun just before its owner went, and stops it at the join', async () => {
      const callId = await rig.place(CONNECT);
      await rig.until(async () => (await rig.legs(callId)).length === 2);
      const saved = async () =>
        (await rig.calls.find(callId))!.program as { state: { ringback: string; phase: string } };
      const { ringback } = (await saved()).state;
      // As it was written with the leg, before the tone was begun and noted.
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

    it('disturbs nothing that missed nothing', async () => {
      const callId = await conversation();
      const before = await rig.told(callId);
      rig.lease.mayCommand = false;
      await leaseRegained();
      expect(await rig.told(callId)).to.deep.equal(before);
      expect(await rig.legs(callId)).to.have.length(2);
    });
  });

  describe('after its connection broke', () => {
    for (const kind of ['unreachable', 'timeout', 'indeterminate'] as const) {
      it(`joins the parties after all whose join was ${kind}`, async () => {
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
    /** The connection breaks at the origination with this number. */
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

    it('keeps a customer who answered, and rings the other party when it is back', async () => {
      const mend = breakAt(2);
      const callId = await rig.place(CONNECT);
      await rig.until(async () => (await rig.legs(callId)).length === 2);
      await rig.controller.idle();
      mend();
      expect((await rig.calls.find(callId))!.status).to.equal('answered');
      rig.engine.reconnect();
      await rig.settle();
      await rig.controller.adopt();
      await rig.untilBothAnswered(callId);
    });

    it('rings a customer when it is back within 15 seconds, and not later', async () => {
      for (const [awayMs, status] of [
        [10_000, 'answered'],
        [20_000, 'failed'],
      ] as const) {
        const mend = breakAt(1);
        const callId = await rig.place({ type: 'idle' });
        await rig.controller.idle();
        mend();
        await rig.clock.advance(awayMs);
        expect((await rig.calls.find(callId))!.status).to.equal('initiated');
        rig.engine.reconnect();
        await rig.settle();
        await rig.controller.adopt();
        await rig.untilStatus(callId, status);
      }
    });
  });

  describe('with what the engine noted', () => {
    const at = (seconds: number): Date => new Date(rig.clock.now().getTime() - 60_000 + seconds * 1000);
    const end = (seconds: number, q850: number) => ({ at: at(seconds), cause: hangupCause(q850, null) });

    /** Nobody listens while this happens. */
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

    it('ends each leg when and why it ended, and charges for that', async () => {
      const callId = await conversation();
      const [customer, agent] = [await legOf(callId, 'customer'), await legOf(callId, 'agent')];
      await rig.clock.advance(100_000);
      noted.set(agent.id, { answeredAt: agent.answered_at, end: end(31, 16) });
      noted.set(customer.id, { answeredAt: customer.answered_at, end: end(30, 31) });
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

    it('finds an answer that nobody saw, with its end', async () => {
      const callId = await rig.place(CONNECT);
      await rig.untilStatus(callId, 'ringing');
      const customer = await legOf(callId, 'customer');
      await rig.clock.advance(1_000);
      await rig.controller.stop();
      noted.set(customer.id, { answeredAt: at(50), end: end(55, 16) });
      await unseen(() => rig.engine.remoteHangup(customer.id));
      const call = await rig.untilStatus(callId, 'ended');
      expect(call).to.deep.include({ answered_at: at(50), ended_at: at(55), hangup_q850: 16 });
      expect(await rig.told(callId)).to.deep.equal(TOLD);
      expect((await eventsOf(callId)).map(({ recovered }) => recovered)).to.deep.equal([false, false, true, true]);
    });

    it('ends a leg now, with a guess, where the engine went before it could note the end', async () => {
      const callId = await rig.place(CONNECT);
      await rig.untilStatus(callId, 'ringing');
      const customer = await legOf(callId, 'customer');
      await rig.clock.advance(1_000);
      await rig.controller.stop();
      noted.set(customer.id, { answeredAt: at(50), end: null });
      await unseen(() => rig.engine.remoteHangup(customer.id));
      const call = await rig.untilStatus(callId, 'ended');
      expect(call).to.deep.include({ answered_at: at(50), hangup_q850: 16, disposition: 'answered' });
      expect(call.ended_at!.getTime()).to.be.at.least(at(60).getTime());
    });

    it('ends what went with an engine that died when that was last reached, as out of order', async () => {
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
      expect(await rig.told(callId)).to.deep.equal(TOLD);
    });

    for (const [seconds, status] of [
      [32, 'timeout'],
      [5, 'missed'],
    ] as const) {
      it(`takes a leg that rang nobody and ended after ${seconds} s without an answer as ${status}`, async () => {
        rig.parties.set(CUSTOMER, PARTIES.neverRings);
        const callId = await rig.place({ type: 'idle' });
        await rig.settle();
        const customer = await legOf(callId, 'customer');
        const endedAt = new Date(customer.created_at.getTime() + seconds * 1000);
        noted.set(customer.id, { answeredAt: null, end: { at: endedAt, cause: hangupCause(19, 480) } });
        await unseen(() => rig.engine.remoteHangup(customer.id));
        expect(await rig.untilStatus(callId, status)).to.deep.include({ ended_at: endedAt, disposition: 'no_answer' });
      });
    }

    it('asks about those legs alone of which something was missed', async () => {
      const callId = await conversation();
      await unseen(() => undefined);
      expect(asked).to.deep.equal([]);
      const agent = await legOf(callId, 'agent');
      await unseen(() => rig.engine.remoteHangup(agent.id));
      expect(asked).to.deep.equal([agent.id]);
    });
  });
});
