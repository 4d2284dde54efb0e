import type { ConferenceObject } from '../../../core/model/objects/conference.js';
import type { ConferenceRecordingObject } from '../../../core/model/objects/recording.js';
import { expect } from 'chai';
import { loudSeconds, readChannels, slice, type Audio } from '../../support/judges/audio.js';
import { Talkers } from '../../support/calls/conversation.js';
import { since } from '../../support/judges/hearing.js';
import { partSeconds, talkTogether } from '../../support/judges/mixed-hearing.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { callPhone, threePhones, type Called, type ToCall } from '../../support/calls/conference-phones.js';
import { withPlatform } from '../../support/platform/with-platform.js';

describe('the recording of a conference', () => {
  let stage: TestPlatform;
  let phones: readonly ToCall[];

  withPlatform(async (made) => {
    stage = made;
    const talkers = await Talkers.at(stage);
    phones = await threePhones(stage, talkers);
  });

  async function request<Body>(method: string, path: string, status = 200, json?: object): Promise<Body> {
    const answer = await stage.request(method, `/v1/${path}`, json === undefined ? {} : { json });
    expect(answer.status, answer.text).to.equal(status);
    return answer.body as unknown as Body;
  }

  const post = (path: string, json: object = {}): Promise<ConferenceObject> =>
    request<ConferenceObject>('POST', path, 200, json);
  const join = ({ id }: Called, json: object = {}): Promise<ConferenceObject> =>
    post(`calls/${id}/conference`, { name: 'talk', ...json });

  /** Waits for the conference's recording events; returns the newest recording and its audio. */
  async function ready(conferenceId: string, count = 1): Promise<{ recording: ConferenceRecordingObject; mix: Audio }> {
    const events = () =>
      stage.receiver
        .accepted()
        .filter(({ type, data }) => type === 'conference.recording_ready' && data.conference_id === conferenceId);
    await stage.receiver.waitUntil(() => events().length >= count, 'the recording of the conference');
    expect(events()).to.have.length(count);
    const { recording } = events().at(-1)!.data as unknown as { recording: ConferenceRecordingObject };
    const { url } = await request<{ url: string }>('GET', `conferences/${conferenceId}/recording`);
    const response = await fetch(url);
    expect(response.status).to.equal(200);
    const [mix] = readChannels(new Uint8Array(await response.arrayBuffer()));
    return { recording, mix: mix! };
  }

  async function endConference(conferenceId: string, all: readonly Called[]): Promise<void> {
    await post(`conferences/${conferenceId}/end`);
    await Promise.all(all.map(({ phone, callId }) => phone.closed(callId)));
    for (const { id } of all) await stage.over(id);
  }

  it('contains all three participants, continues when the first one leaves, and ends with the last', async () => {
    const all = (await Promise.all(phones.map((phone) => callPhone(stage, phone)))) as [Called, Called, Called];
    const [first, second, third] = all;
    const { conference_id: conferenceId } = await join(first);
    const path = `conferences/${conferenceId}`;
    expect(await post(`${path}/recording/start`)).to.include({ recording: true, status: 'active' });
    expect(await post(`${path}/recording/start`), 'a repeat').to.include({ recording: true });
    await join(second);
    await join(third);
    await talkTogether(all);
    await first.phone.hangup(first.callId);
    await stage.over(first.id);
    expect(await request('GET', path)).to.include({ recording: true });
    await talkTogether([second, third]);
    await endConference(conferenceId, [second, third]);
    const { recording, mix } = await ready(conferenceId);
    expect(recording).to.include({ conference_id: conferenceId, status: 'available', channels: 1, legal_hold: false });
    for (const { hz } of all) expect(partSeconds(mix, hz), `${hz} Hz in the mix`).to.be.above(0.5);
    expect(partSeconds(slice(mix, mix.seconds - 0.5), first.hz), 'the participant who left').to.equal(0);
    expect(await request('GET', path)).to.include({ recording: false, status: 'ended' });
    const { data } = await request<{ data: object[] }>('GET', `${path}/recordings`);
    expect(data).to.deep.equal([recording]);
    for (const { id } of all) {
      expect(await request('GET', `calls/${id}/recordings`), 'the calls have no recordings').to.deep.equal({
        data: [],
      });
      expect(await stage.read(id)).to.include({ recording: false, recording_available: false });
    }
    await request('DELETE', `${path}/recording`, 204);
    await request('GET', `${path}/recording`, 404);
    expect((await request<{ data: object[] }>('GET', `${path}/recordings`)).data).to.deep.equal([
      { ...recording, status: 'deleted' },
    ]);
  });

  it('can be stopped and restarted, and keeps time while all are on hold', async () => {
    const all = (await Promise.all(phones.slice(0, 2).map((phone) => callPhone(stage, phone)))) as [Called, Called];
    const { conference_id: conferenceId } = await join(all[0]);
    const path = `conferences/${conferenceId}`;
    await join(all[1]);
    await post(`${path}/recording/start`);
    await talkTogether(all);
    expect(await post(`${path}/recording/stop`)).to.include({ recording: false });
    expect(await post(`${path}/recording/stop`), 'a repeat').to.include({ recording: false });
    await ready(conferenceId);
    await post(`${path}/recording/start`);
    for (const { id } of all) await post(`calls/${id}/hold`);
    const hears = since(all[0].phone, all[0].callId);
    await all[0].phone.waitToHear(() => loudSeconds(hears()) > 1.5, { callId: all[0].callId });
    for (const { id } of all) await post(`calls/${id}/unhold`);
    await talkTogether(all);
    await endConference(conferenceId, all);
    const { mix } = await ready(conferenceId, 2);
    expect(mix.seconds).to.be.above(2);
    for (const { hz } of all) expect(partSeconds(mix, hz)).to.be.within(0.3, mix.seconds - 1.2);
  });

  it('is announced to all participants, and to later ones, if the project requires it', async () => {
    const [first, second] = (await Promise.all(phones.slice(0, 2).map((phone) => callPhone(stage, phone)))) as [
      Called,
      Called,
    ];
    const { conference_id: conferenceId } = await join(first, { muted: true });
    const announce = (how: string) =>
      stage.platform.stores.db.query('UPDATE projects SET recording_announcement = $1', [how]);
    await announce('en');
    try {
      const firstHears = since(first.phone, first.callId);
      await post(`conferences/${conferenceId}/recording/start`);
      await first.phone.waitToHear(() => loudSeconds(firstHears()) > 0.8, { callId: first.callId });
      const secondHears = since(second.phone, second.callId);
      await join(second, { muted: true });
      await second.phone.waitToHear(() => loudSeconds(secondHears()) > 0.8, { callId: second.callId });
    } finally {
      await announce('off');
    }
    await endConference(conferenceId, [first, second]);
    const { mix } = await ready(conferenceId);
    expect(loudSeconds(mix), 'the announcement is in the recording').to.be.above(0.8);
  });

  it('continues across a restart of the application', async () => {
    const all = (await Promise.all(phones.map((phone) => callPhone(stage, phone)))) as [Called, Called, Called];
    let conferenceId = '';
    for (const each of all) ({ conference_id: conferenceId } = await join(each));
    await post(`conferences/${conferenceId}/recording/start`);
    await talkTogether(all);
    await stage.halt();
    const [first, ...others] = all;
    await first.phone.hangup(first.callId);
    await talkTogether(others);
    await stage.resume();
    await stage.receivedEvent(first.id, 'conference.participant_left');
    expect(await request('GET', `conferences/${conferenceId}`)).to.include({ recording: true });
    await talkTogether(others);
    await endConference(conferenceId, others);
    const { mix } = await ready(conferenceId);
    for (const { hz } of all) expect(partSeconds(mix, hz), `${hz} Hz in the mix`).to.be.above(0.5);
    for (const { hz } of others) expect(partSeconds(mix, hz)).to.be.above(partSeconds(mix, first.hz) + 0.4);
  });
});
