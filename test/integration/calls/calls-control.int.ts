import { expect } from 'chai';
import type { CallCommand } from '../../../core/ports/command-bus.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import { callControllerEach, control } from '../../support/stages/call-controller-stage.js';
import type { CallControllerRig } from '../../support/stages/call-controller.js';

describe('controlling calls', () => {
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));

  describe('control', () => {
    async function talking(): Promise<{ callId: string; customer: string; agent: string }> {
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.untilBothAnswered(callId);
      await rig.settle();
      const [customer, agent] = await rig.legs(callId);
      return { callId, customer: customer!.id, agent: agent!.id };
    }
    const run = async (command: CallCommand): Promise<string> => {
      const { result } = await rig.controller.command(command);
      await rig.settle();
      return result;
    };

    it('plays music to a held leg, and reconnects it', async () => {
      const { callId, customer, agent } = await talking();
      expect(await run(control(callId, { action: 'hold' }))).to.equal('done');
      expect(rig.look(customer)).to.include({ held: true, bridgeId: null });
      expect(rig.look(agent)?.bridgeId).to.equal(callId);
      expect(await rig.calls.find(callId)).to.include({ on_hold: true });
      expect(await run(control(callId, { action: 'hold' })), 'a repeat').to.equal('done');
      expect(await run(control(callId, { action: 'unhold' }))).to.equal('done');
      expect(rig.look(customer)).to.include({ held: false, bridgeId: callId });
      expect((await rig.eventTypes(callId)).slice(3)).to.deep.equal(['call.held', 'call.resumed']);
    });

    it('holds only the agent without marking the call', async () => {
      const { callId, customer, agent } = await talking();
      await run(control(callId, { action: 'hold' }, 'agent'));
      expect(rig.look(agent)?.held).to.equal(true);
      expect(rig.look(customer)?.held).to.equal(false);
      expect(await rig.calls.find(callId)).to.include({ on_hold: false });
      expect((await rig.legs(callId)).map((leg) => leg.on_hold)).to.deep.equal([false, true]);
    });

    it('mutes and unmutes once each, however often it is requested', async () => {
      const { callId, customer } = await talking();
      for (const action of ['mute', 'mute', 'unmute', 'unmute'] as const) await run(control(callId, { action }));
      expect(rig.look(customer)?.muted).to.equal(false);
      expect((await rig.eventTypes(callId)).slice(3)).to.deep.equal(['call.muted', 'call.unmuted']);
    });

    it('records how many digits were sent, not which', async () => {
      const { callId } = await talking();
      expect(await run(control(callId, { action: 'dtmf', digits: '4711#' }))).to.equal('done');
      const noted = await rig.db.query(
        `SELECT data->>'digits_count' AS count FROM call_timeline WHERE call_id = $1 AND type = 'control.dtmf'`,
        [callId],
      );
      expect(noted).to.deep.equal([{ count: '5' }]);
      const leaked = await rig.db.query(`SELECT 1 FROM call_timeline WHERE call_id = $1 AND data::text LIKE '%4711%'`, [
        callId,
      ]);
      expect(leaked).to.deep.equal([]);
    });

    it('keeps the held leg out of the bridge when the other party joins later', async () => {
      rig.parties.set('agent', { ...PARTIES.answers, answersAfterMs: 8_000 });
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.until(async () => (await rig.legs(callId))[1]?.status === 'ringing');
      await run(control(callId, { action: 'hold' }));
      await rig.until(async () => (await rig.legs(callId))[1]?.status === 'answered');
      await rig.settle();
      const [customer] = await rig.legs(callId);
      expect(rig.look(customer!.id)).to.include({ held: true, bridgeId: null });
      await run(control(callId, { action: 'unhold' }));
      expect(rig.look(customer!.id)?.bridgeId).to.equal(callId);
    });

    it('hangs up the agent only, which ends the call', async () => {
      const { callId } = await talking();
      await run(control(callId, { action: 'hangup' }, 'agent'));
      expect((await rig.untilStatus(callId, 'ended')).disposition).to.equal('answered');
    });

    it('is refused before the answer, without an agent, and after the end', async () => {
      const callId = await rig.place({ type: 'idle' });
      await rig.untilStatus(callId, 'ringing');
      expect(await run(control(callId, { action: 'hold' }))).to.equal('not_answered');
      await rig.untilStatus(callId, 'answered');
      expect(await run(control(callId, { action: 'mute' }, 'agent'))).to.equal('leg_not_connected');
      rig.engine.disconnect('the cable');
      expect(await run(control(callId, { action: 'mute' }))).to.equal('not_controllable');
      rig.engine.reconnect();
      await rig.settle();
      await rig.controller.adopt();
      await run(control(callId, { action: 'hangup' }));
      await rig.untilStatus(callId, 'ended');
      expect(await run(control(callId, { action: 'mute' }))).to.equal('not_active');
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
      rig.db.query(`UPDATE projects SET recording_announcement = $1 WHERE id = $2`, [language, rig.ground.projectId]);
    const noted = async (callId: string): Promise<string[]> =>
      (
        await rig.db.query<{ type: string }>('SELECT type FROM call_timeline WHERE call_id = $1 ORDER BY id', [callId])
      ).map(({ type }) => type);

    it('continues if the engine cannot record, and notes it', async () => {
      const callId = await rig.place({ type: 'play', paths: ['/prompts/hello'] }, { options });
      await rig.untilStatus(callId, 'ended');
      expect(await noted(callId)).to.include('recording.refused');
      expect((await rig.calls.recordingsOf([callId])).map(({ status }) => status)).to.deep.equal(['stopped']);
    });

    it('is not recorded if the platform makes it for itself', async () => {
      const callId = await rig.place({ type: 'idle' }, { options, system: true });
      await rig.untilStatus(callId, 'answered');
      const start = { action: 'recording_start', channels: 2, maxSeconds: null, transcribe: true } as const;
      await rig.controller.command(control(callId, start));
      await rig.controller.command(control(callId, { action: 'hangup' }));
      await rig.untilStatus(callId, 'ended');
      expect(await rig.calls.recordingsOf([callId])).to.deep.equal([]);
      expect(await rig.eventTypes(callId)).to.deep.equal([]);
    });

    it('starts its program only after the customer has heard the announcement', async () => {
      await announce('both');
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } }, { options });
      await rig.untilStatus(callId, 'answered');
      expect(await rig.legs(callId)).to.have.length(1);
      await rig.until(async () => (await rig.legs(callId)).length === 2);
      expect(await noted(callId)).to.include('play.finished');
    });

    it('is announced again by a new owner if its owner died during the announcement', async () => {
      await announce('en');
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } }, { options });
      await rig.untilStatus(callId, 'answered');
      await rig.restart();
      expect(await rig.legs(callId)).to.have.length(1);
      await rig.until(async () => (await rig.legs(callId)).length === 2);
      expect((await noted(callId)).filter((type) => type === 'play.finished')).to.have.length.of.at.least(1);
      // Once it was heard, a later owner does not repeat it.
      const heard = (await noted(callId)).filter((type) => type === 'play.finished').length;
      await rig.restart();
      await rig.settle();
      expect((await noted(callId)).filter((type) => type === 'play.finished')).to.have.length(heard);
    });

    it('ends when the customer hangs up during the announcement', async () => {
      await announce('ar');
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } }, { options });
      await rig.untilStatus(callId, 'answered');
      rig.engine.remoteHangup((await rig.legs(callId))[0]!.id);
      await rig.untilStatus(callId, 'ended');
      expect(await rig.legs(callId)).to.have.length(1);
    });

    it('is not recorded if the announcement cannot be spoken, from the start or on command', async () => {
      await announce('ar');
      rig.hasVoice = false;
      const callId = await rig.place({ type: 'idle' }, { options });
      await rig.untilStatus(callId, 'answered');
      expect(await noted(callId)).to.include('recording.not_announced');
      const start = control(callId, { action: 'recording_start', channels: 2, maxSeconds: null });
      expect(await rig.controller.command(start)).to.deep.equal({ result: 'not_announced' });
      expect(await rig.calls.recordingsOf([callId])).to.deep.equal([]);
    });
  });
});
