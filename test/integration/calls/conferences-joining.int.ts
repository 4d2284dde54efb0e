import { expect } from 'chai';
import { EngineError } from '../../../core/ports/engine.js';
import { conferenceEach, ConferenceStage } from '../../support/stages/conference-stage.js';
import type { CallControllerRig } from '../../support/stages/call-controller.js';
import { AUDIO, TARGET } from '../../support/stages/transfer-stage.js';

const UNKNOWN_ID = '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11';

describe('joining conferences', function () {
  this.timeout(60_000);
  let stage: ConferenceStage;
  let rig: CallControllerRig;
  conferenceEach((made) => {
    stage = made;
    ({ rig } = stage.calls);
  });

  describe('joining', () => {
    it('creates a conference by name, and the next call joins the same one', async () => {
      const [one, other] = await stage.singles(2);
      const made = await stage.join(one);
      expect(made).to.deep.include({ name: 'talk', status: 'active', ended_at: null });
      expect(made.participants).to.have.length(1);
      expect(made.participants[0]).to.deep.include({
        call_id: one.callId,
        leg: 'customer',
        muted: false,
        on_hold: false,
        left_at: null,
      });
      const joined = await stage.join(other);
      expect(joined.conference_id).to.equal(made.conference_id);
      expect(joined.participants.map(({ call_id }) => call_id)).to.deep.equal([one.callId, other.callId]);
      expect(await stage.read(made.conference_id)).to.deep.equal(joined);
      expect(stage.talking(made.conference_id, [one, other])).to.deep.equal([0, 1]);
      expect(await rig.calls.find(one.callId)).to.include({ conference_id: made.conference_id });
      expect(await stage.events(made.conference_id)).to.deep.equal([
        'created 1',
        'participant_joined 1',
        'participant_joined 2',
      ]);
      expect((await rig.eventTypes(one.callId)).slice(-2)).to.deep.equal([
        'conference.created',
        'conference.participant_joined',
      ]);
    });

    it('includes the agent, and ends the agent’s participation with the customer’s', async () => {
      const { callId, customer, agent } = await stage.calls.talking();
      const third = await stage.single();
      const { conference_id } = await stage.join({ callId });
      await stage.join(third);
      const all = [{ leg: customer }, { leg: agent }, third];
      expect(stage.talking(conference_id, all)).to.deep.equal([0, 1, 2]);
      expect((await stage.read(conference_id)).participants.map(({ leg }) => leg)).to.deep.equal([
        'customer',
        'agent',
        'customer',
      ]);
      rig.engine.remoteHangup(customer);
      await rig.untilStatus(callId, 'ended');
      await stage.calm();
      expect(rig.look(agent)).to.equal(null);
      expect(stage.talking(conference_id, [third])).to.deep.equal([0]);
      expect(await stage.events(conference_id)).to.deep.equal([
        'created 2',
        'participant_joined 2',
        'participant_joined 2',
        'participant_joined 3',
        'participant_left 2',
        'participant_left 1',
      ]);
    });

    it('continues without an agent who hangs up', async () => {
      const { callId, customer, agent } = await stage.calls.talking();
      const { conference_id } = await stage.join({ callId }, { end_on_exit: true });
      rig.engine.remoteHangup(agent);
      await stage.calm();
      expect(await rig.calls.find(callId)).to.include({ status: 'answered' });
      expect(stage.talking(conference_id, [{ leg: customer }])).to.deep.equal([0]);
      const [here, left] = (await stage.read(conference_id)).participants;
      expect(here).to.include({ leg: 'customer', left_at: null });
      expect(left?.left_at).not.to.equal(null);
      const agentId = (await stage.participants(callId))[1]?.id ?? '';
      expect(await stage.codeOf(stage.post(`${conference_id}/participants/${agentId}/mute`))).to.equal(
        'AGENT_LEG_NOT_CONNECTED',
      );
    });

    it('hangs up a party that is still ringing', async () => {
      const { callId, customer, agent } = await stage.ringingAgent();
      const { conference_id, participants } = await stage.join({ callId });
      expect(participants).to.have.length(1);
      expect(rig.look(agent)).to.equal(null);
      expect(stage.talking(conference_id, [{ leg: customer }])).to.deep.equal([0]);
      expect(await rig.calls.find(callId)).to.include({ status: 'answered' });
    });

    it('stops the call’s program, and takes the call off hold', async () => {
      const callId = await rig.place({ type: 'play', paths: ['/prompts/hello'] });
      await rig.untilStatus(callId, 'answered');
      const { conference_id } = await stage.join({ callId });
      const held = await stage.single();
      await stage.calls.post(held.callId, 'hold');
      await stage.join(held);
      expect(await rig.calls.find(held.callId)).to.include({ on_hold: false });
      expect(stage.talking(conference_id, [held])).to.deep.equal([0]);
      expect(await rig.calls.find(callId)).to.include({ status: 'answered' });
    });

    it('muted is effective from the first moment', async () => {
      const one = await stage.single();
      const { participants } = await stage.join(one, { muted: true });
      expect(participants[0]).to.include({ muted: true });
      expect(rig.look(one.leg)).to.include({ muted: true });
    });

    it('with a beep is heard by the participants', async () => {
      const [one, other] = await stage.singles(2);
      const { conference_id } = await stage.join(one);
      const beeps: string[] = [];
      const { media } = rig.engine;
      const play = media.play.bind(media);
      media.play = (request) => {
        if ('bridgeId' in request.target) beeps.push(request.target.bridgeId);
        return play(request);
      };
      await stage.join(other, { beep: true });
      expect(beeps).to.deep.equal([conference_id]);
      rig.engine.remoteHangup(other.leg);
      await stage.calm();
      expect(beeps).to.deep.equal([conference_id, conference_id]);
    });

    it('admits exactly the maximum of many concurrent calls', async () => {
      const first = await stage.single();
      await stage.join(first, { max_participants: 3 });
      const others = await stage.singles(6);
      const codes = await Promise.all(others.map(({ callId }) => stage.codeOf(stage.ask(callId, { name: 'talk' }))));
      expect(codes.filter((code) => code === 'accepted')).to.have.length(2);
      expect(codes.filter((code) => code === 'CONFERENCE_FULL')).to.have.length(4);
      await stage.calm();
      const { conference_id, participants } = (await stage.list())[0]!;
      expect(participants).to.have.length(3);
      expect(stage.talking(conference_id, others)).to.have.length(2);
      // A call that was not admitted continues as before, and can take a place that becomes free.
      const refused = others[codes.indexOf('CONFERENCE_FULL')]!;
      expect(await rig.calls.find(refused.callId)).to.include({ conference_id: null, status: 'answered' });
      rig.engine.remoteHangup(first.leg);
      await stage.calm();
      expect(await stage.codeOf(stage.ask(refused.callId, { conference_id }))).to.equal('accepted');
    });

    it('creates one conference for concurrent joins by the same name', async () => {
      const all = await stage.singles(4);
      await Promise.all(all.map((single) => stage.join(single)));
      const conferences = await stage.list();
      expect(conferences).to.have.length(1);
      expect(stage.talking(conferences[0]!.conference_id, all)).to.deep.equal([0, 1, 2, 3]);
      expect(
        (await stage.events(conferences[0]!.conference_id)).filter((event) => event.startsWith('created')),
      ).to.have.length(1);
    });

    it('admits both legs of a call or neither', async () => {
      const one = await stage.single();
      const { conference_id } = await stage.join(one, { max_participants: 2 });
      const { callId, customer, agent } = await stage.calls.talking();
      expect(await stage.codeOf(stage.ask(callId, { name: 'talk' }))).to.equal('CONFERENCE_FULL');
      expect(await stage.calls.together(callId)).to.have.members([customer, agent]);
      expect((await stage.read(conference_id)).participants).to.have.length(1);
    });

    it('refuses invalid joins', async () => {
      const [one, other] = await stage.singles(2);
      const { conference_id } = await stage.join(one);
      const refusals: [string, object, string][] = [
        [one.callId, { name: 'other' }, 'CALL_ALREADY_IN_CONFERENCE'],
        [other.callId, { conference_id: UNKNOWN_ID }, 'VALIDATION_ERROR'],
        [other.callId, {}, 'VALIDATION_ERROR'],
        [other.callId, { name: 'talk', conference_id }, 'VALIDATION_ERROR'],
        [other.callId, { name: 'talk', max_participants: 1 }, 'VALIDATION_ERROR'],
        [other.callId, { name: 'talk', max_participants: 251 }, 'VALIDATION_ERROR'],
        [UNKNOWN_ID, { name: 'talk' }, 'CALL_NOT_FOUND'],
      ];
      for (const [callId, json, code] of refusals) expect(await stage.codeOf(stage.ask(callId, json))).to.equal(code);
      const ringing = await rig.place({ type: 'idle' });
      expect(await stage.codeOf(stage.ask(ringing, { name: 'talk' }))).to.equal('CALL_NOT_ANSWERED');
      rig.engine.remoteHangup(other.leg);
      await rig.untilStatus(other.callId, 'ended');
      expect(await stage.codeOf(stage.ask(other.callId, { name: 'talk' }))).to.equal('CALL_NOT_ACTIVE');
    });

    it('and a transfer exclude each other', async () => {
      const one = await stage.single();
      await stage.join(one);
      const to = { type: 'number', target: TARGET };
      expect(await stage.codeOf(stage.calls.post(one.callId, 'transfer', { type: 'blind', to }))).to.equal(
        'CALL_ALREADY_IN_CONFERENCE',
      );
      const { callId } = await stage.calls.talking();
      await stage.calls.transfer(callId, 'blind');
      expect(await stage.codeOf(stage.ask(callId, { name: 'talk' }))).to.equal('TRANSFER_IN_PROGRESS');
    });

    it('is not possible if the conference is on another engine', async () => {
      const one = await stage.single();
      const { conference_id } = await stage.join(one);
      const elsewhere = await ConferenceStage.on(stage.database);
      const other = await elsewhere.single();
      await stage.database.db.query(`UPDATE calls SET project_id = $1 WHERE id = $2`, [
        rig.ground.projectId,
        other.callId,
      ]);
      expect(await stage.codeOf(stage.ask(other.callId, { conference_id }))).to.equal('CALL_CONTROL_UNSUPPORTED');
      expect(await stage.codeOf(stage.ask(other.callId, { name: 'talk' }))).to.equal('CALL_CONTROL_UNSUPPORTED');
      await elsewhere.calls.close();
    });

    it('is done once for a retried request', async () => {
      const one = await stage.single();
      const headers = { 'Idempotency-Key': 'join-1' };
      const { api, key } = stage.calls;
      const ask = () =>
        api.request('POST', `/v1/calls/${one.callId}/conference`, { key, json: { name: 'talk' }, headers });
      const [first, again] = [await ask(), await ask()];
      expect(again.status).to.equal(200);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      expect(again.body).to.deep.equal(first.body);
      // As if the process had died before it could respond.
      await stage.database.db.query(
        `UPDATE idempotency_keys
         SET state = 'running', status_code = NULL, response = NULL, created_at = created_at - interval '1 hour',
             headers = jsonb_build_object('x-request-id', $2::text)
         WHERE idempotency_key = $1`,
        ['join-1', first.headers.get('x-request-id')],
      );
      const recovered = await ask();
      expect(recovered.status, recovered.text).to.equal(200);
      expect(recovered.body).to.deep.equal(first.body);
    });
  });

  describe('an engine that refuses', () => {
    it('the bridge: nothing has changed', async () => {
      const { callId, customer, agent } = await stage.calls.talking();
      const cut = stage.calls.cutAfter(0, 'rejected');
      expect(await stage.codeOf(stage.ask(callId, { name: 'talk' }))).to.equal('CALL_CONTROL_FAILED');
      cut.restore();
      expect(await stage.calls.together(callId)).to.have.members([customer, agent]);
      expect(await stage.list()).to.deep.equal([]);
      expect(await stage.codeOf(stage.ask(callId, { name: 'talk' }))).to.equal('accepted');
    });

    it('the join: the parties talk to each other as before', async () => {
      const { callId, customer, agent } = await stage.calls.talking();
      const third = await stage.single();
      const { conference_id } = await stage.join(third);
      const { bridges } = rig.engine;
      const add = bridges.add.bind(bridges);
      const no = () => Promise.reject(new EngineError('rejected', 'not into this one'));
      bridges.add = (bridgeId, legId) => (bridgeId === conference_id ? no() : add(bridgeId, legId));
      expect(await stage.codeOf(stage.ask(callId, { name: 'talk', end_on_exit: true }))).to.equal(
        'CALL_CONTROL_FAILED',
      );
      bridges.add = add;
      await stage.calm();
      expect(await rig.calls.find(callId)).to.include({ conference_id: null, status: 'answered' });
      expect((await stage.read(conference_id)).participants.filter(({ left_at }) => left_at === null)).to.have.length(
        1,
      );
      rig.engine.remoteHangup(agent);
      await rig.untilStatus(callId, 'ended');
      expect(rig.look(customer)).to.equal(null);
    });

    it('any action while it is unreachable', async () => {
      const one = await stage.single();
      const { conference_id } = await stage.join(one);
      const other = await stage.single();
      rig.engine.disconnect('the cable is pulled');
      for (const answer of [
        stage.ask(other.callId, { name: 'talk' }),
        stage.post(`${conference_id}/end`),
        stage.post(`${conference_id}/participants/${await stage.participant(one.callId)}/kick`),
        stage.post(`${conference_id}/play`, { audio_id: AUDIO }),
      ]) {
        expect(await stage.codeOf(answer)).to.equal('CALL_NOT_CONTROLLABLE');
      }
      rig.engine.reconnect();
    });
  });
});
