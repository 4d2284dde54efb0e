import { expect } from 'chai';
import { PARTIES } from '../../engine/simulator/party.js';
import { CUSTOMER, type ConductorRig } from '../support/conductor.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { routeProblems } from '../support/route-contract.js';
import { TARGET, TransferStage } from '../support/transfer-stage.js';

const NOBODY = '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11';

describe('transferring calls', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: TransferStage;
  let rig: ConductorRig;

  before(async () => {
    database = await testDatabase();
  });
  after(() => database.close());
  beforeEach(async () => {
    stage = await TransferStage.start(database);
    ({ rig } = stage);
  });
  afterEach(async () => {
    await stage.close();
    expect(rig.illegalMoves).to.deep.equal([]);
    expect(stage.api.faults).to.deep.equal([]);
  });

  const target = async (callId: string): Promise<string> => (await stage.legs(callId)).at(-1)!.id;
  const roles = async (callId: string): Promise<string[]> =>
    (await stage.legs(callId)).map(({ role, status }) => `${role} ${status}`);
  const charges = (callId: string) =>
    database.db.query<{ number: string }>(`SELECT number FROM charges WHERE call_id = $1 ORDER BY number`, [callId]);
  const noted = async (callId: string): Promise<string[]> =>
    (
      await database.db.query<{ type: string }>(
        `SELECT type FROM call_timeline WHERE call_id = $1 AND type ~ 'transfer' ORDER BY id`,
        [callId],
      )
    ).map(({ type }) => type);

  it('keeps the contract of routes', async () => {
    expect(await routeProblems(stage.api, stage.routes)).to.deep.equal([]);
  });

  describe('blind', () => {
    it('lets the customer hear music until the target answers, who is the agent then', async () => {
      const { callId, customer, agent } = await stage.talking();
      const begun = await stage.transfer(callId, 'blind');
      expect(begun).to.deep.include({
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
      const third = await target(callId);
      expect(await stage.together(callId)).to.have.members([customer, third]);
      expect(rig.look(customer)).to.include({ held: false });
      expect(rig.look(agent)).to.equal(null);
      expect(await roles(callId)).to.deep.equal(['customer answered', 'agent ended', 'agent answered']);
      expect(await rig.calls.find(callId)).to.include({ status: 'answered', agent: null });
      const [listed] = await stage.list(callId);
      expect(listed).to.deep.equal({ ...begun, status: 'completed', ended_at: done.ended_at?.toISOString() });
      const [told] = await database.db.query<{ transfer: unknown }>(
        `SELECT data->'transfer' AS transfer FROM events WHERE call_id = $1 AND type = 'call.transferred'`,
        [callId],
      );
      expect(told?.transfer).to.deep.equal(listed);
      rig.engine.remoteHangup(third);
      await rig.untilStatus(callId, 'ended');
      await rig.settle();
      expect((await rig.told(callId)).slice(3)).to.deep.equal(['call.transferred', 'call.ended']);
      expect((await charges(callId)).map(({ number }) => number)).to.have.members([CUSTOMER, TARGET]);
      expect(await noted(callId)).to.deep.equal(['control.transfer', 'transfer.ringing', 'transfer.completed']);
    });

    for (const party of ['busy', 'neverAnswers', 'neverRings', 'unknownNumber'] as const) {
      it(`brings the customer back to the agent when the target ${party}`, async () => {
        rig.parties.set(TARGET, PARTIES[party]);
        const { callId, customer, agent } = await stage.talking();
        await stage.transfer(callId, 'blind');
        await stage.until(callId, 'failed');
        expect(await stage.together(callId)).to.have.members([customer, agent]);
        expect(await rig.calls.find(callId)).to.include({ status: 'answered', agent: '1001' });
        rig.engine.remoteHangup(agent);
        await rig.untilStatus(callId, 'ended');
        expect(await rig.told(callId)).not.to.include('call.transferred');
        expect(await charges(callId)).to.have.length(1);
      });
    }

    it('finds a target of which nothing is ever heard', async () => {
      rig.parties.set(TARGET, { ...PARTIES.ringsForEver, ringsAfterMs: null });
      const { callId, customer, agent } = await stage.talking();
      await stage.transfer(callId, 'blind');
      await stage.until(callId, 'failed');
      expect(await stage.together(callId)).to.have.members([customer, agent]);
    });

    it('goes on when the agent hangs up meanwhile', async () => {
      const { callId, customer, agent } = await stage.talking();
      await stage.transfer(callId, 'blind');
      rig.engine.remoteHangup(agent);
      await rig.settle();
      expect(rig.look(customer)).to.include({ held: true });
      await stage.until(callId, 'completed');
      expect(await stage.together(callId)).to.have.members([customer, await target(callId)]);
    });

    it('ends the call when nobody is left to whom the customer could go back', async () => {
      rig.parties.set(TARGET, PARTIES.busy);
      const { callId, agent } = await stage.talking();
      await stage.transfer(callId, 'blind');
      rig.engine.remoteHangup(agent);
      const call = await rig.untilStatus(callId, 'ended');
      expect(call.hangup_q850).to.equal(17);
      expect(await stage.newest(callId)).to.include({ status: 'failed' });
    });

    it('of a customer alone: to the target, or back to what the call was for', async () => {
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
      expect(await stage.together(callId)).to.deep.equal([customer, await target(callId)]);
      rig.engine.remoteHangup(await target(callId));
      await rig.untilStatus(callId, 'ended');
    });

    it('begins an interrupted program again when it fails', async () => {
      rig.parties.set(TARGET, PARTIES.busy);
      const callId = await rig.place({ type: 'play', paths: ['/prompts/hello'] });
      await rig.untilStatus(callId, 'answered');
      await stage.transfer(callId, 'blind');
      await stage.until(callId, 'failed');
      await rig.untilStatus(callId, 'ended');
    });
  });

  describe('attended', () => {
    it('lets the agent talk to the target alone, and completes', async () => {
      const { callId, customer, agent } = await stage.talking();
      const begun = await stage.transfer(callId, 'attended');
      await stage.until(callId, 'consulting');
      const third = await target(callId);
      expect(await stage.together(callId)).to.have.members([agent, third]);
      expect(rig.look(customer)).to.include({ held: true, bridgeId: null });
      expect(await roles(callId)).to.deep.equal(['customer answered', 'agent answered', 'transfer answered']);
      expect(await stage.finish(begun, 'complete')).to.include({ status: 'completed' });
      expect(await stage.together(callId)).to.have.members([customer, third]);
      expect(rig.look(agent)).to.equal(null);
      expect(await stage.finish(begun, 'complete'), 'a repeat').to.include({ status: 'completed' });
      expect((await stage.post(callId, `transfers/${begun.transfer_id}/cancel`)).body).to.include({
        error_code: 'NOT_FOUND',
      });
      expect(await noted(callId)).to.deep.equal([
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
        const begun = await stage.transfer(callId, 'attended');
        await stage.until(callId, during);
        const third = await target(callId);
        expect(await stage.finish(begun, 'cancel')).to.include({ status: 'cancelled' });
        expect(await stage.together(callId)).to.have.members([customer, agent]);
        expect(rig.look(third)).to.equal(null);
        expect(await stage.finish(begun, 'cancel'), 'a repeat').to.include({ status: 'cancelled' });
        await stage.post(callId, 'hangup');
        await rig.untilStatus(callId, 'ended');
      });
    }

    it('is over when the target hangs up in the consultation', async () => {
      const { callId, customer, agent } = await stage.talking();
      await stage.transfer(callId, 'attended');
      await stage.until(callId, 'consulting');
      rig.engine.remoteHangup(await target(callId));
      await stage.until(callId, 'failed');
      expect(await stage.together(callId)).to.have.members([customer, agent]);
    });

    it('is completed by the agent’s hang-up in the consultation', async () => {
      const { callId, customer, agent } = await stage.talking();
      await stage.transfer(callId, 'attended');
      await stage.until(callId, 'consulting');
      rig.engine.remoteHangup(agent);
      await stage.until(callId, 'completed');
      expect(await stage.together(callId)).to.have.members([customer, await target(callId)]);
    });

    for (const by of ['the agent’s hang-up', 'completing it'] as const) {
      it(`becomes a blind one by ${by} while it rings`, async () => {
        const { callId, customer, agent } = await stage.talking();
        const begun = await stage.transfer(callId, 'attended');
        await stage.until(callId, 'ringing');
        if (by === 'completing it') await stage.finish(begun, 'complete');
        else rig.engine.remoteHangup(agent);
        await rig.settle();
        expect(rig.look(agent)).to.equal(null);
        const cancelled = await stage.post(callId, `transfers/${begun.transfer_id}/cancel`);
        expect(cancelled.body).to.include({ error_code: 'AGENT_LEG_NOT_CONNECTED' });
        await stage.until(callId, 'completed');
        expect(await stage.together(callId)).to.have.members([customer, await target(callId)]);
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
          expect(await rig.told(callId)).not.to.include('call.transferred');
          expect(rig.conductor.liveCalls).to.equal(0);
        });
      }
    }
  });

  describe('afterwards', () => {
    it('the agent’s leg is the target’s, for control and for the next transfer', async () => {
      const { callId, customer } = await stage.talking();
      await stage.transfer(callId, 'blind');
      await stage.until(callId, 'completed');
      const second = await target(callId);
      expect((await stage.post(callId, 'hold', { leg: 'agent' })).status).to.equal(200);
      expect(rig.look(second)).to.include({ held: true });
      await stage.transfer(callId, 'attended', { to: { type: 'agent', target: '1001' } });
      await stage.until(callId, 'consulting');
      const third = await target(callId);
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

  describe('while it goes on', () => {
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

  describe('is refused', () => {
    const refusal = async (callId: string, json: object): Promise<string> => {
      const to = { type: 'number', target: TARGET };
      const answer = await stage.post(callId, 'transfer', { type: 'blind', to, ...json });
      return `${answer.status} ${String(answer.body?.error_code)}`;
    };

    it('to nobody, and to what is not built yet', async () => {
      const { callId } = await stage.talking();
      const invalid = '422 TRANSFER_TARGET_INVALID';
      expect(await refusal(callId, { to: { type: 'agent', target: '9999' } })).to.equal(invalid);
      expect(await refusal(callId, { to: { type: 'number', target: '999' } })).to.equal('400 INVALID_PHONE_NUMBER');
      for (const type of ['queue', 'callflow']) {
        expect(await refusal(callId, { to: { type, target: NOBODY } })).to.equal('400 VALIDATION_ERROR');
      }
      expect(await refusal(callId, { ring_timeout_seconds: 4 })).to.equal('400 VALIDATION_ERROR');
      expect(await stage.list(callId)).to.deep.equal([]);
    });

    it('before the answer, without an agent, after the end', async () => {
      const callId = await rig.place({ type: 'idle' });
      await rig.untilStatus(callId, 'ringing');
      expect(await refusal(callId, {})).to.equal('409 CALL_NOT_ANSWERED');
      await rig.untilStatus(callId, 'answered');
      expect(await refusal(callId, { type: 'attended' })).to.equal('409 AGENT_LEG_NOT_CONNECTED');
      await stage.post(callId, 'hangup');
      await rig.untilStatus(callId, 'ended');
      expect(await refusal(callId, {})).to.equal('409 CALL_NOT_ACTIVE');
      expect(await refusal(NOBODY, {})).to.equal('404 CALL_NOT_FOUND');
    });

    it('while the agent is still rung', async () => {
      rig.parties.set('agent', PARTIES.neverAnswers);
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.until(async () => (await stage.legs(callId))[1]?.status === 'ringing');
      expect(await refusal(callId, {})).to.equal('409 AGENT_LEG_NOT_CONNECTED');
    });

    it('after five', async () => {
      const { callId } = await stage.talking();
      for (let done = 0; done < 5; done += 1) {
        await stage.transfer(callId, 'blind');
        await stage.until(callId, 'completed');
      }
      expect(await refusal(callId, {})).to.equal('409 TRANSFER_LIMIT_REACHED');
      expect(await stage.list(callId)).to.have.length(5);
    });

    it('while the engine is away, and when it will not', async () => {
      const { callId } = await stage.talking();
      rig.engine.disconnect('the cable');
      expect(await refusal(callId, {})).to.equal('409 CALL_NOT_CONTROLLABLE');
      rig.engine.reconnect();
      await rig.settle();
      await rig.conductor.adopt();
      const begun = await stage.transfer(callId, 'attended');
      await stage.until(callId, 'consulting');
      const engine = stage.cutAfter(0, 'rejected');
      const refused = await stage.post(callId, `transfers/${begun.transfer_id}/cancel`);
      engine.restore();
      expect(refused.body).to.include({ error_code: 'CALL_CONTROL_FAILED' });
    });

    it('to complete or cancel what is not there', async () => {
      const { callId } = await stage.talking();
      for (const id of [NOBODY, 'nothing']) {
        const answer = await stage.post(callId, `transfers/${id}/complete`);
        expect(answer.body).to.include({ error_code: 'NOT_FOUND' });
      }
      const answer = await stage.post(NOBODY, `transfers/${NOBODY}/cancel`);
      expect(answer.body).to.include({ error_code: 'CALL_NOT_FOUND' });
    });
  });

  describe('over the death of the application', () => {
    for (const status of ['initiated', 'ringing', 'consulting'] as const) {
      it(`goes on from ${status}`, async () => {
        const { callId, customer } = await stage.talking();
        const begun = await stage.transfer(callId, 'attended');
        await stage.until(callId, status);
        await rig.restart();
        expect(rig.look(customer)).to.include({ held: true });
        await stage.until(callId, 'consulting');
        await stage.finish(begun, 'complete');
        expect(await stage.together(callId)).to.have.members([customer, await target(callId)]);
        await rig.restart();
        rig.engine.remoteHangup(await target(callId));
        await rig.untilStatus(callId, 'ended');
      });
    }

    it('follows what happened meanwhile', async () => {
      const { callId, customer, agent } = await stage.talking();
      await stage.transfer(callId, 'attended');
      await stage.until(callId, 'consulting');
      rig.engine.disconnect('the process is away');
      rig.engine.remoteHangup(agent);
      rig.engine.reconnect();
      await rig.restart();
      await stage.until(callId, 'completed');
      expect(await stage.together(callId)).to.have.members([customer, await target(callId)]);
    });

    it('ends for all when the customer went meanwhile', async () => {
      const { callId, customer, agent } = await stage.talking();
      await stage.transfer(callId, 'attended');
      await stage.until(callId, 'consulting');
      const third = await target(callId);
      rig.engine.disconnect('the process is away');
      rig.engine.remoteHangup(customer);
      rig.engine.reconnect();
      await rig.restart();
      await rig.untilStatus(callId, 'ended');
      await rig.settle();
      expect([agent, third].map((id) => rig.look(id))).to.deep.equal([null, null]);
    });

    for (const [type, party, ends] of [
      ['blind', 'answers', 'completed'],
      ['blind', 'busy', 'failed'],
      ['attended', 'answers', 'completed'],
    ] as const) {
      it(`never leaves the customer alone, whichever command was the last: ${type}, target ${party}`, async () => {
        for (let commands = 0; ; commands += 1) {
          rig.parties.set(TARGET, PARTIES[party]);
          const { callId, customer, agent } = await stage.talking();
          const process = stage.cutAfter(commands);
          await stage.transfer(callId, type);
          const isDone = async (): Promise<boolean> => (await stage.newest(callId))?.ended_at !== null;
          const isConsulting = async (): Promise<boolean> => (await stage.newest(callId))?.status === 'consulting';
          await rig.until(async () => process.cut || (await isDone()) || (await isConsulting()));
          if (!process.cut && (await isConsulting())) {
            rig.engine.remoteHangup(agent);
            await rig.until(async () => process.cut || (await isDone()));
          }
          process.restore();
          await rig.restart();
          if (type === 'attended') {
            await rig.until(async () => (await isConsulting()) || (await isDone()));
            if (await isConsulting()) rig.engine.remoteHangup(agent);
          }
          await rig.until(isDone);
          await rig.settle();
          const { status } = (await stage.newest(callId))!;
          // One whose target could not be rung any more has failed.
          expect(status, `after ${commands} commands`).to.be.oneOf([ends, 'failed']);
          if (status === 'completed') {
            expect(await stage.together(callId), `after ${commands}`).to.have.members([customer, await target(callId)]);
          } else {
            expect(await stage.together(callId), `after ${commands}`).to.have.members([customer, agent]);
          }
          if (rig.look(customer)) await stage.post(callId, 'hangup');
          await rig.untilStatus(callId, 'ended');
          if (!process.cut) {
            expect(status).to.equal(ends);
            expect(commands).to.be.above(3);
            return;
          }
        }
      });
    }
  });
});
