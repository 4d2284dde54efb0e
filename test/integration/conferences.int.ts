import { expect } from 'chai';
import { EngineError } from '../../core/ports/engine.js';
import type { ConferenceObject } from '../../core/services/conferences/present.js';
import { PARTIES } from '../../engine/simulator/party.js';
import { ConferenceStage, type Single } from '../support/conference-stage.js';
import type { ConductorRig } from '../support/conductor.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { routeProblems } from '../support/route-contract.js';
import { AUDIO, TARGET } from '../support/transfer-stage.js';

const NOBODY = '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11';

describe('conferences', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: ConferenceStage;
  let rig: ConductorRig;

  before(async () => {
    database = await testDatabase();
  });
  after(() => database.close());
  beforeEach(async () => {
    stage = await ConferenceStage.start(database);
    ({ rig } = stage.calls);
  });
  afterEach(async () => {
    await stage.calls.close();
    expect(rig.illegalMoves).to.deep.equal([]);
    expect(stage.calls.api.faults).to.deep.equal([]);
  });

  const codeOf = async (answer: Promise<{ readonly text: string }>): Promise<string> => {
    const { error_code = 'accepted' } = JSON.parse((await answer).text) as { error_code?: string };
    return error_code;
  };
  /** Legs that are over. */
  const gone = (singles: readonly Single[]): number[] =>
    singles.flatMap(({ leg }, index) => (rig.look(leg) === null ? [index] : []));

  it('keeps the contract of routes', async () => {
    expect(await routeProblems(stage.calls.api, stage.calls.routes)).to.deep.equal([]);
  });

  describe('joining', () => {
    it('makes a conference of the name, and takes the next into the same', async () => {
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
      expect(await stage.told(made.conference_id)).to.deep.equal([
        'created 1',
        'participant_joined 1',
        'participant_joined 2',
      ]);
      expect((await rig.told(one.callId)).slice(-2)).to.deep.equal([
        'conference.created',
        'conference.participant_joined',
      ]);
    });

    it('takes the agent along, and ends it with the customer', async () => {
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
      expect(await stage.told(conference_id)).to.deep.equal([
        'created 2',
        'participant_joined 2',
        'participant_joined 2',
        'participant_joined 3',
        'participant_left 2',
        'participant_left 1',
      ]);
    });

    it('goes on without the agent who hangs up', async () => {
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
      expect(await codeOf(stage.post(`${conference_id}/participants/${agentId}/mute`))).to.equal(
        'AGENT_LEG_NOT_CONNECTED',
      );
    });

    it('lets a party go that still rings', async () => {
      rig.parties.set('agent', PARTIES.ringsForEver);
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.untilStatus(callId, 'answered');
      await rig.until(async () => (await stage.calls.legs(callId)).length === 2);
      const [customer, agent] = await stage.calls.legs(callId);
      const { conference_id, participants } = await stage.join({ callId });
      expect(participants).to.have.length(1);
      expect(rig.look(agent!.id)).to.equal(null);
      expect(stage.talking(conference_id, [{ leg: customer!.id }])).to.deep.equal([0]);
      expect(await rig.calls.find(callId)).to.include({ status: 'answered' });
    });

    it('stops what the call did, and takes it off hold', async () => {
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

    it('muted is not heard, from the first moment', async () => {
      const one = await stage.single();
      const { participants } = await stage.join(one, { muted: true });
      expect(participants[0]).to.include({ muted: true });
      expect(rig.look(one.leg)).to.include({ muted: true });
    });

    it('with a beep tells those who are in', async () => {
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

    it('takes exactly as many as it is for, of many who come at once', async () => {
      const first = await stage.single();
      await stage.join(first, { max_participants: 3 });
      const others = await stage.singles(6);
      const codes = await Promise.all(others.map(({ callId }) => codeOf(stage.ask(callId, { name: 'talk' }))));
      expect(codes.filter((code) => code === 'accepted')).to.have.length(2);
      expect(codes.filter((code) => code === 'CONFERENCE_FULL')).to.have.length(4);
      await stage.calm();
      const { conference_id, participants } = (await list())[0]!;
      expect(participants).to.have.length(3);
      expect(stage.talking(conference_id, others)).to.have.length(2);
      // Who did not get in goes on as before, and a seat that is given up can be had.
      const refused = others[codes.indexOf('CONFERENCE_FULL')]!;
      expect(await rig.calls.find(refused.callId)).to.include({ conference_id: null, status: 'answered' });
      rig.engine.remoteHangup(first.leg);
      await stage.calm();
      expect(await codeOf(stage.ask(refused.callId, { conference_id }))).to.equal('accepted');
    });

    it('makes one conference for all who name it at once', async () => {
      const all = await stage.singles(4);
      await Promise.all(all.map((single) => stage.join(single)));
      const conferences = await list();
      expect(conferences).to.have.length(1);
      expect(stage.talking(conferences[0]!.conference_id, all)).to.deep.equal([0, 1, 2, 3]);
      expect(
        (await stage.told(conferences[0]!.conference_id)).filter((told) => told.startsWith('created')),
      ).to.have.length(1);
    });

    it('takes both of a call or neither', async () => {
      const one = await stage.single();
      const { conference_id } = await stage.join(one, { max_participants: 2 });
      const { callId, customer, agent } = await stage.calls.talking();
      expect(await codeOf(stage.ask(callId, { name: 'talk' }))).to.equal('CONFERENCE_FULL');
      expect(await stage.calls.together(callId)).to.have.members([customer, agent]);
      expect((await stage.read(conference_id)).participants).to.have.length(1);
    });

    it('refuses what cannot be', async () => {
      const [one, other] = await stage.singles(2);
      const { conference_id } = await stage.join(one);
      const refusals: [string, object, string][] = [
        [one.callId, { name: 'other' }, 'CALL_ALREADY_IN_CONFERENCE'],
        [other.callId, { conference_id: NOBODY }, 'VALIDATION_ERROR'],
        [other.callId, {}, 'VALIDATION_ERROR'],
        [other.callId, { name: 'talk', conference_id }, 'VALIDATION_ERROR'],
        [other.callId, { name: 'talk', max_participants: 1 }, 'VALIDATION_ERROR'],
        [other.callId, { name: 'talk', max_participants: 251 }, 'VALIDATION_ERROR'],
        [NOBODY, { name: 'talk' }, 'CALL_NOT_FOUND'],
      ];
      for (const [callId, json, code] of refusals) expect(await codeOf(stage.ask(callId, json))).to.equal(code);
      const ringing = await rig.place({ type: 'idle' });
      expect(await codeOf(stage.ask(ringing, { name: 'talk' }))).to.equal('CALL_NOT_ANSWERED');
      rig.engine.remoteHangup(other.leg);
      await rig.untilStatus(other.callId, 'ended');
      expect(await codeOf(stage.ask(other.callId, { name: 'talk' }))).to.equal('CALL_NOT_ACTIVE');
    });

    it('and a transfer exclude each other', async () => {
      const one = await stage.single();
      await stage.join(one);
      const to = { type: 'number', target: TARGET };
      expect(await codeOf(stage.calls.post(one.callId, 'transfer', { type: 'blind', to }))).to.equal(
        'CALL_ALREADY_IN_CONFERENCE',
      );
      const { callId } = await stage.calls.talking();
      await stage.calls.transfer(callId, 'blind');
      expect(await codeOf(stage.ask(callId, { name: 'talk' }))).to.equal('TRANSFER_IN_PROGRESS');
    });

    it('is not possible where another engine carries the conference', async () => {
      const one = await stage.single();
      const { conference_id } = await stage.join(one);
      const elsewhere = await ConferenceStage.start(database);
      const other = await elsewhere.single();
      await database.db.query(`UPDATE calls SET project_id = $1 WHERE id = $2`, [rig.ground.projectId, other.callId]);
      expect(await codeOf(stage.ask(other.callId, { conference_id }))).to.equal('CALL_CONTROL_UNSUPPORTED');
      expect(await codeOf(stage.ask(other.callId, { name: 'talk' }))).to.equal('CALL_CONTROL_UNSUPPORTED');
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
    });
  });

  describe('an engine that refuses', () => {
    it('the bridge: nothing has changed', async () => {
      const { callId, customer, agent } = await stage.calls.talking();
      const cut = stage.calls.cutAfter(0, 'rejected');
      expect(await codeOf(stage.ask(callId, { name: 'talk' }))).to.equal('CALL_CONTROL_FAILED');
      cut.restore();
      expect(await stage.calls.together(callId)).to.have.members([customer, agent]);
      expect(await list()).to.deep.equal([]);
      expect(await codeOf(stage.ask(callId, { name: 'talk' }))).to.equal('accepted');
    });

    it('the way into it: the parties talk to each other as before', async () => {
      const { callId, customer, agent } = await stage.calls.talking();
      const third = await stage.single();
      const { conference_id } = await stage.join(third);
      const { bridges } = rig.engine;
      const add = bridges.add.bind(bridges);
      const no = () => Promise.reject(new EngineError('rejected', 'not into this one'));
      bridges.add = (bridgeId, legId) => (bridgeId === conference_id ? no() : add(bridgeId, legId));
      expect(await codeOf(stage.ask(callId, { name: 'talk', end_on_exit: true }))).to.equal('CALL_CONTROL_FAILED');
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

    it('an unreachable one', async () => {
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
        expect(await codeOf(answer)).to.equal('CALL_NOT_CONTROLLABLE');
      }
      rig.engine.reconnect();
    });
  });

  describe('participants', () => {
    let all: [Single, Single, Single, ...Single[]];
    let conferenceId: string;
    beforeEach(async () => {
      all = await stage.singles(3);
      for (const single of all) ({ conference_id: conferenceId } = await stage.join(single));
    });

    it('are muted and unmuted', async () => {
      expect(await stage.act(conferenceId, all[0], 'mute')).to.include({ muted: true, on_hold: false });
      expect(rig.look(all[0].leg)).to.include({ muted: true, bridgeId: conferenceId });
      expect(await stage.act(conferenceId, all[0], 'mute')).to.include({ muted: true });
      expect(await stage.act(conferenceId, all[0], 'unmute')).to.include({ muted: false });
      expect(rig.look(all[0].leg)).to.include({ muted: false });
      expect((await rig.told(all[0].callId)).slice(-2)).to.deep.equal(['call.muted', 'call.unmuted']);
    });

    it('are put on hold with music, and come back', async () => {
      expect(await stage.act(conferenceId, all[1], 'hold')).to.include({ on_hold: true });
      expect(stage.talking(conferenceId, all)).to.deep.equal([0, 2]);
      expect(stage.waiting(all)).to.deep.equal([1]);
      expect(await stage.act(conferenceId, all[1], 'hold')).to.include({ on_hold: true });
      expect(await stage.act(conferenceId, all[1], 'unhold')).to.include({ on_hold: false });
      expect(stage.talking(conferenceId, all)).to.deep.equal([0, 1, 2]);
      // The call's own route is the same.
      await stage.calls.post(all[1].callId, 'hold');
      expect(stage.talking(conferenceId, all)).to.deep.equal([0, 2]);
      await stage.calls.post(all[1].callId, 'unhold');
      expect(stage.talking(conferenceId, all)).to.deep.equal([0, 1, 2]);
    });

    it('are kicked: the call is over', async () => {
      await stage.act(conferenceId, all[2], 'kick');
      await rig.untilStatus(all[2].callId, 'ended');
      expect(stage.talking(conferenceId, all)).to.deep.equal([0, 1]);
      const [, , kicked] = (await stage.read(conferenceId)).participants;
      expect(kicked?.left_at).not.to.equal(null);
      const again = stage.post(`${conferenceId}/participants/${kicked!.participant_id}/kick`);
      expect(await codeOf(again)).to.equal('CALL_NOT_ACTIVE');
    });

    it('are named, or not found', async () => {
      const id = await stage.participant(all[0].callId);
      expect(await codeOf(stage.post(`${conferenceId}/participants/${NOBODY}/mute`))).to.equal('CONFERENCE_NOT_FOUND');
      expect(await codeOf(stage.post(`${NOBODY}/participants/${id}/mute`))).to.equal('CONFERENCE_NOT_FOUND');
      expect(await codeOf(stage.post(`${NOBODY}/end`))).to.equal('CONFERENCE_NOT_FOUND');
      expect(await codeOf(stage.post(`${NOBODY}/play`, { audio_id: AUDIO }))).to.equal('CONFERENCE_NOT_FOUND');
    });

    it('may be refused by the engine', async () => {
      const cut = stage.calls.cutAfter(0, 'rejected');
      const id = await stage.participant(all[0].callId);
      expect(await codeOf(stage.post(`${conferenceId}/participants/${id}/hold`))).to.equal('CALL_CONTROL_FAILED');
      expect(await codeOf(stage.post(`${conferenceId}/play`, { audio_id: AUDIO }))).to.equal('CALL_CONTROL_FAILED');
      cut.restore();
    });

    it('hear an announcement until it is stopped', async () => {
      const played: string[] = [];
      const stopped: string[] = [];
      const { media } = rig.engine;
      const [play, stop] = [media.play.bind(media), media.stop.bind(media)];
      media.play = (request) => {
        if ('bridgeId' in request.target) played.push(request.playbackId);
        return play(request);
      };
      media.stop = (playbackId) => {
        stopped.push(playbackId);
        return stop(playbackId);
      };
      expect(await codeOf(stage.post(`${conferenceId}/play`, { audio_id: AUDIO, loop: 2 }))).to.equal('accepted');
      expect(played).to.have.length(1);
      for (const expected of [played, played]) {
        expect(await codeOf(stage.post(`${conferenceId}/play/stop`))).to.equal('accepted');
        expect(stopped).to.deep.equal(expected);
      }
      expect(await codeOf(stage.post(`${conferenceId}/play`, { audio_id: NOBODY }))).to.equal('VALIDATION_ERROR');
      expect(await codeOf(stage.post(`${conferenceId}/play`, {}))).to.equal('VALIDATION_ERROR');
    });
  });

  describe('its beginning', () => {
    it('is awaited with music', async () => {
      const all = await stage.singles(3);
      const { conference_id } = await stage.join(all[0], { start_on_enter: false });
      await stage.join(all[1], { start_on_enter: false });
      expect(stage.talking(conference_id, all)).to.deep.equal([]);
      expect(stage.waiting(all)).to.deep.equal([0, 1]);
      expect((await stage.read(conference_id)).participants.map(({ on_hold }) => on_hold)).to.deep.equal([
        false,
        false,
      ]);
      await stage.join(all[2]);
      expect(stage.talking(conference_id, all)).to.deep.equal([0, 1, 2]);
      expect(stage.waiting(all)).to.deep.equal([]);
      rig.engine.remoteHangup(all[2].leg);
      await stage.calm();
      expect(stage.talking(conference_id, all), 'what has begun goes on').to.deep.equal([0, 1]);
    });

    it('leaves on hold who is on hold', async () => {
      const all = await stage.singles(3);
      const { conference_id } = await stage.join(all[0], { start_on_enter: false });
      await stage.join(all[1], { start_on_enter: false });
      await stage.act(conference_id, all[0], 'hold');
      await stage.act(conference_id, all[1], 'hold');
      await stage.act(conference_id, all[1], 'unhold');
      expect(stage.waiting(all)).to.deep.equal([0, 1]);
      await stage.join(all[2]);
      expect(stage.talking(conference_id, all)).to.deep.equal([1, 2]);
      await stage.act(conference_id, all[0], 'unhold');
      expect(stage.talking(conference_id, all)).to.deep.equal([0, 1, 2]);
    });
  });

  describe('its end', () => {
    it('comes with the last to leave', async () => {
      const [one, other] = await stage.singles(2);
      const { conference_id } = await stage.join(one);
      await stage.join(other);
      rig.engine.remoteHangup(one.leg);
      await stage.calm();
      expect(await stage.read(conference_id)).to.include({ status: 'active' });
      rig.engine.remoteHangup(other.leg);
      await stage.calm();
      const ended = await stage.read(conference_id);
      expect(ended).to.include({ status: 'ended', ended_at: ended.participants[1]?.left_at });
      expect((await stage.told(conference_id)).slice(-2)).to.deep.equal(['participant_left 0', 'ended 0']);
      expect((await rig.told(other.callId)).slice(-3)).to.deep.equal([
        'conference.participant_left',
        'conference.ended',
        'call.ended',
      ]);
      expect((await rig.engine.list()).bridgeIds).not.to.include(conference_id);
    });

    it('can be asked for: everybody is let go, and nobody can do anything any more', async () => {
      const all = await stage.singles(3);
      let conference_id = '';
      for (const single of all) ({ conference_id } = await stage.join(single));
      const answer = await stage.post(`${conference_id}/end`);
      expect(answer.body).to.include({ status: 'ended' });
      await stage.calm();
      expect(gone(all)).to.deep.equal([0, 1, 2]);
      for (const { callId } of all) expect(await rig.calls.find(callId)).to.include({ status: 'ended' });
      expect((await stage.told(conference_id)).slice(-2)).to.deep.equal(['participant_left 0', 'ended 0']);
      const late = await stage.single();
      const id = await stage.participant(all[0].callId);
      for (const refused of [
        stage.ask(late.callId, { conference_id }),
        stage.post(`${conference_id}/end`),
        stage.post(`${conference_id}/play`, { audio_id: AUDIO }),
        stage.post(`${conference_id}/play/stop`),
        stage.post(`${conference_id}/participants/${id}/mute`),
      ]) {
        expect(await codeOf(refused)).to.equal('CONFERENCE_ENDED');
      }
      const again = await stage.join(late);
      expect(again.conference_id, 'the name is free').not.to.equal(conference_id);
    });

    it('comes for all when somebody leaves with whom it ends', async () => {
      const all = await stage.singles(3);
      const { conference_id } = await stage.join(all[0], { end_on_exit: true });
      await stage.join(all[1]);
      await stage.join(all[2], { start_on_enter: false });
      rig.engine.remoteHangup(all[0].leg);
      await stage.calm();
      expect(gone(all)).to.deep.equal([0, 1, 2]);
      expect(await stage.read(conference_id)).to.include({ status: 'ended' });
      expect((await stage.told(conference_id)).slice(-4)).to.deep.equal([
        'participant_left 2',
        'participant_left 1',
        'participant_left 0',
        'ended 0',
      ]);
    });

    it('takes along who waits for its beginning', async () => {
      const [one, other] = await stage.singles(2);
      const { conference_id } = await stage.join(one, { start_on_enter: false, end_on_exit: true });
      await stage.join(other, { start_on_enter: false });
      rig.engine.remoteHangup(one.leg);
      await stage.calm();
      expect(rig.look(other.leg)).to.equal(null);
      expect(await stage.read(conference_id)).to.include({ status: 'ended' });
    });
  });

  describe('the list', () => {
    it('is paged and narrowed', async () => {
      const made: string[] = [];
      for (const name of ['a', 'b', 'c'])
        made.unshift((await stage.join(await stage.single(), { name })).conference_id);
      await stage.post(`${made[0]}/end`);
      await stage.calm();
      const ids = async (query: string): Promise<string[]> => (await list(query)).map((each) => each.conference_id);
      expect(await ids('')).to.deep.equal(made);
      expect(await ids('?status=active')).to.deep.equal(made.slice(1));
      expect(await ids('?status=ended')).to.deep.equal(made.slice(0, 1));
      expect(await ids('?name=a')).to.deep.equal(made.slice(2));
      const { api, key } = stage.calls;
      const first = await api.request('GET', '/v1/conferences?limit=2', { key });
      expect(first.body?.limit).to.equal(2);
      const cursor = String(first.body?.next_cursor);
      expect(await ids(`?limit=2&cursor=${cursor}`)).to.deep.equal(made.slice(2));
    });

    it('and everything else is the project’s own', async () => {
      const one = await stage.single();
      const { conference_id } = await stage.join(one);
      const { api } = stage.calls;
      const { key } = await api.key();
      expect((await api.request('GET', '/v1/conferences', { key })).body?.data).to.deep.equal([]);
      const id = await stage.participant(one.callId);
      for (const [method, path, json] of [
        ['GET', conference_id],
        ['POST', `${conference_id}/end`],
        ['POST', `${conference_id}/participants/${id}/kick`],
        ['POST', `${conference_id}/play`, { audio_id: AUDIO }],
      ] as const) {
        const answer = api.request(method, `/v1/conferences/${path}`, { key, ...(json ? { json } : {}) });
        expect(await codeOf(answer), path).to.equal('CONFERENCE_NOT_FOUND');
      }
      // A sandbox key of the same project sees sandbox conferences only.
      const sandbox = await api.key({ projectId: rig.ground.projectId, kind: 'sandbox' });
      const seen = api.request('GET', `/v1/conferences/${conference_id}`, { key: sandbox.key });
      expect(await codeOf(seen)).to.equal('CONFERENCE_NOT_FOUND');
    });
  });

  describe('over a restart', () => {
    it('goes on, and can be controlled', async () => {
      const all = await stage.singles(3);
      let conference_id = '';
      for (const single of all) ({ conference_id } = await stage.join(single));
      await stage.act(conference_id, all[1], 'hold');
      await rig.restart();
      expect(stage.talking(conference_id, all)).to.deep.equal([0, 2]);
      await stage.act(conference_id, all[1], 'unhold');
      expect(stage.talking(conference_id, all)).to.deep.equal([0, 1, 2]);
      const late = await stage.single();
      expect((await stage.join(late)).conference_id).to.equal(conference_id);
      await stage.post(`${conference_id}/end`);
      await stage.calm();
      expect(gone([...all, late])).to.deep.equal([0, 1, 2, 3]);
      expect((await stage.told(conference_id)).filter((told) => told === 'ended 0')).to.have.length(1);
    });

    it('still counts', async () => {
      const all = await stage.singles(3);
      await stage.join(all[0], { max_participants: 2 });
      await stage.join(all[1]);
      await rig.restart();
      expect(await codeOf(stage.ask(all[2].callId, { name: 'talk' }))).to.equal('CONFERENCE_FULL');
    });

    it('tells of who left meanwhile', async () => {
      const all = await stage.singles(3);
      let conference_id = '';
      for (const single of all) ({ conference_id } = await stage.join(single));
      await silently(() => rig.engine.remoteHangup(all[0].leg));
      await rig.restart();
      await stage.calm();
      const [left] = (await stage.read(conference_id)).participants;
      expect(left?.left_at).not.to.equal(null);
      expect(stage.talking(conference_id, all)).to.deep.equal([1, 2]);
      expect((await stage.told(conference_id)).at(-1)).to.equal('participant_left 2');
    });

    it('ends for all when somebody left meanwhile with whom it ends', async () => {
      const all = await stage.singles(3);
      const { conference_id } = await stage.join(all[0]);
      await stage.join(all[1], { end_on_exit: true });
      await stage.join(all[2], { start_on_enter: false });
      await silently(() => rig.engine.remoteHangup(all[1].leg));
      await rig.restart();
      await stage.calm();
      expect(gone(all)).to.deep.equal([0, 1, 2]);
      expect(await stage.read(conference_id)).to.include({ status: 'ended' });
      expect((await stage.told(conference_id)).at(-1)).to.equal('ended 0');
    });

    it('keeps the waiting waiting, until it begins', async () => {
      const [one, other] = await stage.singles(2);
      const { conference_id } = await stage.join(one, { start_on_enter: false });
      await rig.restart();
      expect(stage.waiting([one])).to.deep.equal([0]);
      await stage.join(other);
      expect(stage.talking(conference_id, [one, other])).to.deep.equal([0, 1]);
    });

    for (const commands of [1, 2, 3]) {
      it(`does what was cut off after ${commands} commands of a join`, async () => {
        const [one, other] = await stage.singles(2);
        await stage.join(one);
        const cut = stage.calls.cutAfter(commands);
        expect(await codeOf(stage.ask(other.callId, { name: 'talk' }))).to.equal('CALL_NOT_CONTROLLABLE');
        expect(cut.cut).to.equal(true);
        cut.restore();
        await rig.restart();
        await stage.calm();
        const [{ conference_id } = { conference_id: '' }] = await list();
        expect(stage.talking(conference_id, [one, other])).to.deep.equal([0, 1]);
      });
    }

    it('finishes an end that was cut off', async () => {
      const all = await stage.singles(3);
      let conference_id = '';
      for (const single of all) ({ conference_id } = await stage.join(single));
      const cut = stage.calls.cutAfter(1);
      expect(await codeOf(stage.post(`${conference_id}/end`))).to.equal('CONFERENCE_ENDED');
      cut.restore();
      expect(gone(all)).not.to.have.length(3);
      await rig.restart();
      await stage.calm();
      expect(gone(all)).to.deep.equal([0, 1, 2]);
      expect((await stage.told(conference_id)).at(-1)).to.equal('ended 0');
    });
  });

  /** While nobody listens, and nobody learns of it but by looking. */
  async function silently(happen: () => void): Promise<void> {
    rig.engine.disconnect('nobody listens');
    happen();
    rig.engine.reconnect();
    await rig.settle();
  }

  async function list(query = ''): Promise<ConferenceObject[]> {
    const { api, key } = stage.calls;
    const answer = await api.request('GET', `/v1/conferences${query}`, { key });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body?.data as ConferenceObject[];
  }
});
