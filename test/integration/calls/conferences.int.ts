import { expect } from 'chai';
import { conferenceEach, type ConferenceStage, type Single } from '../../support/stages/conference-stage.js';
import type { CallControllerRig } from '../../support/stages/call-controller.js';
import { routeProblems } from '../../support/judges/route-contract.js';
import { AUDIO } from '../../support/stages/transfer-stage.js';

const UNKNOWN_ID = '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11';

describe('conferences', function () {
  this.timeout(60_000);
  let stage: ConferenceStage;
  let rig: CallControllerRig;
  conferenceEach((made) => {
    stage = made;
    ({ rig } = stage.calls);
  });

  it('follows the contract of all routes', async () => {
    expect(await routeProblems(stage.calls.api, stage.calls.routes)).to.deep.equal([]);
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
      expect((await rig.eventTypes(all[0].callId)).slice(-2)).to.deep.equal(['call.muted', 'call.unmuted']);
    });

    it('are put on hold with music, and come back', async () => {
      expect(await stage.act(conferenceId, all[1], 'hold')).to.include({ on_hold: true });
      expect(stage.talking(conferenceId, all)).to.deep.equal([0, 2]);
      expect(stage.waiting(all)).to.deep.equal([1]);
      expect(await stage.act(conferenceId, all[1], 'hold')).to.include({ on_hold: true });
      expect(await stage.act(conferenceId, all[1], 'unhold')).to.include({ on_hold: false });
      expect(stage.talking(conferenceId, all)).to.deep.equal([0, 1, 2]);
      // The call's own route does the same.
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
      expect(await stage.codeOf(again)).to.equal('CALL_NOT_ACTIVE');
    });

    it('must exist, or are not found', async () => {
      const id = await stage.participant(all[0].callId);
      expect(await stage.codeOf(stage.post(`${conferenceId}/participants/${UNKNOWN_ID}/mute`))).to.equal(
        'CONFERENCE_NOT_FOUND',
      );
      expect(await stage.codeOf(stage.post(`${UNKNOWN_ID}/participants/${id}/mute`))).to.equal('CONFERENCE_NOT_FOUND');
      expect(await stage.codeOf(stage.post(`${UNKNOWN_ID}/end`))).to.equal('CONFERENCE_NOT_FOUND');
      expect(await stage.codeOf(stage.post(`${UNKNOWN_ID}/play`, { audio_id: AUDIO }))).to.equal(
        'CONFERENCE_NOT_FOUND',
      );
    });

    it('may be refused by the engine', async () => {
      const cut = stage.calls.cutAfter(0, 'rejected');
      const id = await stage.participant(all[0].callId);
      expect(await stage.codeOf(stage.post(`${conferenceId}/participants/${id}/hold`))).to.equal('CALL_CONTROL_FAILED');
      expect(await stage.codeOf(stage.post(`${conferenceId}/play`, { audio_id: AUDIO }))).to.equal(
        'CALL_CONTROL_FAILED',
      );
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
      expect(await stage.codeOf(stage.post(`${conferenceId}/play`, { audio_id: AUDIO, loop: 2 }))).to.equal('accepted');
      expect(played).to.have.length(1);
      for (const expected of [played, played]) {
        expect(await stage.codeOf(stage.post(`${conferenceId}/play/stop`))).to.equal('accepted');
        expect(stopped).to.deep.equal(expected);
      }
      expect(await stage.codeOf(stage.post(`${conferenceId}/play`, { audio_id: UNKNOWN_ID }))).to.equal(
        'VALIDATION_ERROR',
      );
      expect(await stage.codeOf(stage.post(`${conferenceId}/play`, {}))).to.equal('VALIDATION_ERROR');
    });
  });

  describe('its start', () => {
    it('is awaited with hold music', async () => {
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
      expect(stage.talking(conference_id, all), 'a started conference continues').to.deep.equal([0, 1]);
    });

    it('leaves held participants on hold', async () => {
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
    it('comes when the last participant leaves', async () => {
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
      expect((await stage.events(conference_id)).slice(-2)).to.deep.equal(['participant_left 0', 'ended 0']);
      expect((await rig.eventTypes(other.callId)).slice(-3)).to.deep.equal([
        'conference.participant_left',
        'conference.ended',
        'call.ended',
      ]);
      expect((await rig.engine.list()).bridgeIds).not.to.include(conference_id);
    });

    it('can be requested: all participants are hung up, and further actions are refused', async () => {
      const all = await stage.singles(3);
      let conference_id = '';
      for (const single of all) ({ conference_id } = await stage.join(single));
      const answer = await stage.post(`${conference_id}/end`);
      expect(answer.body).to.include({ status: 'ended' });
      await stage.calm();
      expect(stage.gone(all)).to.deep.equal([0, 1, 2]);
      for (const { callId } of all) expect(await rig.calls.find(callId)).to.include({ status: 'ended' });
      expect((await stage.events(conference_id)).slice(-2)).to.deep.equal(['participant_left 0', 'ended 0']);
      const late = await stage.single();
      const id = await stage.participant(all[0].callId);
      for (const refused of [
        stage.ask(late.callId, { conference_id }),
        stage.post(`${conference_id}/end`),
        stage.post(`${conference_id}/play`, { audio_id: AUDIO }),
        stage.post(`${conference_id}/play/stop`),
        stage.post(`${conference_id}/participants/${id}/mute`),
      ]) {
        expect(await stage.codeOf(refused)).to.equal('CONFERENCE_ENDED');
      }
      const again = await stage.join(late);
      expect(again.conference_id, 'the name is free').not.to.equal(conference_id);
    });

    it('comes for all when a participant with end_on_exit leaves', async () => {
      const all = await stage.singles(3);
      const { conference_id } = await stage.join(all[0], { end_on_exit: true });
      await stage.join(all[1]);
      await stage.join(all[2], { start_on_enter: false });
      rig.engine.remoteHangup(all[0].leg);
      await stage.calm();
      expect(stage.gone(all)).to.deep.equal([0, 1, 2]);
      expect(await stage.read(conference_id)).to.include({ status: 'ended' });
      expect((await stage.events(conference_id)).slice(-4)).to.deep.equal([
        'participant_left 2',
        'participant_left 1',
        'participant_left 0',
        'ended 0',
      ]);
    });

    it('also hangs up participants that wait for its start', async () => {
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
    it('is paged and filtered', async () => {
      const made: string[] = [];
      for (const name of ['a', 'b', 'c'])
        made.unshift((await stage.join(await stage.single(), { name })).conference_id);
      await stage.post(`${made[0]}/end`);
      await stage.calm();
      const ids = async (query: string): Promise<string[]> =>
        (await stage.list(query)).map((each) => each.conference_id);
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

    it('and everything else is limited to the project', async () => {
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
        expect(await stage.codeOf(answer), path).to.equal('CONFERENCE_NOT_FOUND');
      }
      // A sandbox key of the same project sees sandbox conferences only.
      const sandbox = await api.key({ projectId: rig.ground.projectId, kind: 'sandbox' });
      const seen = api.request('GET', `/v1/conferences/${conference_id}`, { key: sandbox.key });
      expect(await stage.codeOf(seen)).to.equal('CONFERENCE_NOT_FOUND');
    });
  });

  describe('across a restart', () => {
    it('continues, and can be controlled', async () => {
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
      expect(stage.gone([...all, late])).to.deep.equal([0, 1, 2, 3]);
      expect((await stage.events(conference_id)).filter((event) => event === 'ended 0')).to.have.length(1);
    });

    it('still enforces the maximum', async () => {
      const all = await stage.singles(3);
      await stage.join(all[0], { max_participants: 2 });
      await stage.join(all[1]);
      await rig.restart();
      expect(await stage.codeOf(stage.ask(all[2].callId, { name: 'talk' }))).to.equal('CONFERENCE_FULL');
    });

    it('reports participants that left meanwhile', async () => {
      const all = await stage.singles(3);
      let conference_id = '';
      for (const single of all) ({ conference_id } = await stage.join(single));
      await stage.silently(() => rig.engine.remoteHangup(all[0].leg));
      await rig.restart();
      await stage.calm();
      const [left] = (await stage.read(conference_id)).participants;
      expect(left?.left_at).not.to.equal(null);
      expect(stage.talking(conference_id, all)).to.deep.equal([1, 2]);
      expect((await stage.events(conference_id)).at(-1)).to.equal('participant_left 2');
    });

    it('ends for all if a participant with end_on_exit left meanwhile', async () => {
      const all = await stage.singles(3);
      const { conference_id } = await stage.join(all[0]);
      await stage.join(all[1], { end_on_exit: true });
      await stage.join(all[2], { start_on_enter: false });
      await stage.silently(() => rig.engine.remoteHangup(all[1].leg));
      await rig.restart();
      await stage.calm();
      expect(stage.gone(all)).to.deep.equal([0, 1, 2]);
      expect(await stage.read(conference_id)).to.include({ status: 'ended' });
      expect((await stage.events(conference_id)).at(-1)).to.equal('ended 0');
    });

    it('keeps participants waiting until it starts', async () => {
      const [one, other] = await stage.singles(2);
      const { conference_id } = await stage.join(one, { start_on_enter: false });
      await rig.restart();
      expect(stage.waiting([one])).to.deep.equal([0]);
      await stage.join(other);
      expect(stage.talking(conference_id, [one, other])).to.deep.equal([0, 1]);
    });

    for (const commands of [0, 1]) {
      it(`completes a join interrupted after ${commands} commands`, async () => {
        const [one, other] = await stage.singles(2);
        await stage.join(one);
        const cut = stage.calls.cutAfter(commands);
        expect(await stage.codeOf(stage.ask(other.callId, { name: 'talk' }))).to.equal('CALL_NOT_CONTROLLABLE');
        expect(cut.cut).to.equal(true);
        cut.restore();
        await rig.restart();
        await stage.calm();
        const [{ conference_id } = { conference_id: '' }] = await stage.list();
        expect(stage.talking(conference_id, [one, other])).to.deep.equal([0, 1]);
      });
    }

    it('hangs up a party that is still ringing, if that was interrupted', async () => {
      const one = await stage.single();
      const { conference_id } = await stage.join(one);
      const { callId, customer, agent } = await stage.ringingAgent();
      const cut = stage.calls.cutAfter(0);
      expect(await stage.codeOf(stage.ask(callId, { name: 'talk' }))).to.equal('CALL_NOT_CONTROLLABLE');
      cut.restore();
      await rig.restart();
      await stage.calm();
      expect(rig.look(agent)).to.equal(null);
      expect(stage.talking(conference_id, [one, { leg: customer }])).to.deep.equal([0, 1]);
    });

    it('finishes an interrupted end', async () => {
      const all = await stage.singles(3);
      let conference_id = '';
      for (const single of all) ({ conference_id } = await stage.join(single));
      const cut = stage.calls.cutAfter(1);
      expect(await stage.codeOf(stage.post(`${conference_id}/end`))).to.equal('CONFERENCE_ENDED');
      cut.restore();
      expect(stage.gone(all)).not.to.have.length(3);
      await rig.restart();
      await stage.calm();
      expect(stage.gone(all)).to.deep.equal([0, 1, 2]);
      expect((await stage.events(conference_id)).at(-1)).to.equal('ended 0');
    });
  });
});
