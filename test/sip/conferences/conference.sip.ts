import type { ConferenceObject } from '../../../core/model/objects/conference.js';
import { expect } from 'chai';
import { loudSeconds, slice, toneSeconds } from '../../support/judges/audio.js';
import { AGENT_HZ, CUSTOMER_HZ, Talkers } from '../../support/calls/conversation.js';
import { since } from '../../support/judges/hearing.js';
import { talkTogether } from '../../support/judges/mixed-hearing.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { callPhone, threePhones, type Called, type ToCall } from '../../support/calls/conference-phones.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const BEEP_HZ = 1000;

describe('conferences', () => {
  let stage: TestPlatform;
  let phones: readonly ToCall[];
  let talkers: Talkers;

  withPlatform(async (made) => {
    stage = made;
    talkers = await Talkers.at(stage);
    phones = await threePhones(stage, talkers);
  });

  async function post(path: string, json: object = {}): Promise<ConferenceObject> {
    const answer = await stage.request('POST', `/v1/${path}`, { json });
    expect(answer.status, answer.text).to.equal(200);
    return answer.body as unknown as ConferenceObject;
  }

  const join = ({ id }: { readonly id: string }, json: object = {}): Promise<ConferenceObject> =>
    post(`calls/${id}/conference`, { name: 'talk', ...json });

  async function read(conferenceId: string): Promise<ConferenceObject> {
    const answer = await stage.request('GET', `/v1/conferences/${conferenceId}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body as unknown as ConferenceObject;
  }

  async function act(conferenceId: string, { id }: Called, action: string): Promise<void> {
    const { participants } = await read(conferenceId);
    const participant = participants.find(({ call_id }) => call_id === id);
    await post(`conferences/${conferenceId}/participants/${participant?.participant_id ?? ''}/${action}`);
  }

  async function three(json: object = {}): Promise<{ conferenceId: string; all: [Called, Called, Called] }> {
    const all = (await Promise.all(phones.map((phone) => callPhone(stage, phone)))) as [Called, Called, Called];
    let conferenceId = '';
    for (const each of all) ({ conference_id: conferenceId } = await join(each, json));
    return { conferenceId, all };
  }

  async function expectEnded(conferenceId: string, all: readonly Called[]): Promise<void> {
    await Promise.all(all.map(({ phone, callId }) => phone.closed(callId)));
    for (const { id } of all) await stage.over(id);
    expect(await read(conferenceId)).to.include({ status: 'ended' });
    const ends = () =>
      stage.receiver
        .accepted()
        .filter(({ type, data }) => type === 'conference.ended' && data.conference_id === conferenceId);
    await stage.receiver.waitUntil(() => ends().length > 0, `the end of ${conferenceId}`);
    expect(ends()).to.have.length(1);
  }

  it('each of three participants hears the other two and not itself', async () => {
    const { conferenceId, all } = await three();
    await talkTogether(all);
    await post(`conferences/${conferenceId}/end`);
    await expectEnded(conferenceId, all);
  });

  it('a muted participant is not heard, but hears the others', async () => {
    const { conferenceId, all } = await three();
    const [first, ...others] = all;
    await talkTogether(all);
    await act(conferenceId, first, 'mute');
    await talkTogether(others, [first]);
    await act(conferenceId, first, 'unmute');
    await talkTogether(all);
    await post(`conferences/${conferenceId}/end`);
    await expectEnded(conferenceId, all);
  });

  it('a held participant hears music, is not heard, and returns', async () => {
    const { conferenceId, all } = await three();
    const [, held, third] = all;
    const [first] = all;
    await talkTogether(all);
    await act(conferenceId, held, 'hold');
    const hears = since(held.phone, held.callId);
    await talkTogether([first, third]);
    await held.phone.waitToHear(() => loudSeconds(hears()) > 1, { callId: held.callId });
    for (const { hz } of all) expect(toneSeconds(hears(), hz, 0.5), `${hz} Hz under the music`).to.be.below(0.5);
    await act(conferenceId, held, 'unhold');
    await talkTogether(all);
    await post(`conferences/${conferenceId}/end`);
    await expectEnded(conferenceId, all);
  });

  it('plays music until a participant with start_on_enter joins; kicking a participant hangs up the call', async () => {
    const [first, second, third] = (await Promise.all(phones.map((phone) => callPhone(stage, phone)))) as [
      Called,
      Called,
      Called,
    ];
    const { conference_id: conferenceId } = await join(first, { start_on_enter: false });
    await join(second, { start_on_enter: false });
    const [firstHears, secondHears] = [since(first.phone, first.callId), since(second.phone, second.callId)];
    await first.phone.waitToHear(() => loudSeconds(firstHears()) > 1, { callId: first.callId });
    await second.phone.waitToHear(() => loudSeconds(secondHears()) > 1, { callId: second.callId });
    expect(toneSeconds(firstHears(), second.hz, 0.5)).to.be.below(0.3);
    await join(third);
    await talkTogether([first, second, third]);
    await act(conferenceId, second, 'kick');
    await second.phone.closed(second.callId);
    await talkTogether([first, third]);
    await first.phone.hangup(first.callId);
    await third.phone.hangup(third.callId);
    await expectEnded(conferenceId, [first, third]);
  });

  it('a beep and an announcement are heard by all participants', async () => {
    const [first, second, third] = (await Promise.all(phones.map((phone) => callPhone(stage, phone)))) as [
      Called,
      Called,
      Called,
    ];
    const { conference_id: conferenceId } = await join(first, { muted: true });
    await join(second, { muted: true });
    const listening = [first, second].map((member) => ({ member, hears: since(member.phone, member.callId) }));
    await join(third, { muted: true, beep: true });
    for (const { member, hears } of listening) {
      await member.phone.waitToHear(() => toneSeconds(hears(), BEEP_HZ) > 0.1, { callId: member.callId });
    }
    const words = [first, second, third].map((member) => ({ member, hears: since(member.phone, member.callId) }));
    await post(`conferences/${conferenceId}/play`, { text: 'The meeting begins now. Welcome.', language: 'en' });
    for (const { member, hears } of words) {
      await member.phone.waitToHear(() => loudSeconds(hears()) > 0.8, { callId: member.callId });
    }
    await post(`conferences/${conferenceId}/end`);
    await expectEnded(conferenceId, [first, second, third]);
  });

  it('admits both parties of a call, and ends for all when its customer hangs up', async () => {
    const { callId: id, customerCall, agentCall } = await talkers.conversation();
    const third = await callPhone(stage, phones[2]!);
    const { conference_id: conferenceId } = await join({ id }, { end_on_exit: true });
    await join(third);
    const customer = { id, phone: talkers.customer, hz: CUSTOMER_HZ, callId: customerCall };
    const agent = { id, phone: talkers.agent, hz: AGENT_HZ, callId: agentCall };
    await talkTogether([customer, agent, third]);
    await talkers.customer.hangup(customerCall);
    await expectEnded(conferenceId, [third]);
    await talkers.agent.closed(agentCall);
    await stage.over(id);
  });

  it('is recorded with all participants, including later ones, by the recording of one of them', async () => {
    const [first, second, third] = (await Promise.all(phones.map((phone) => callPhone(stage, phone)))) as [
      Called,
      Called,
      Called,
    ];
    const { conference_id: conferenceId } = await join(first);
    await join(second);
    await post(`calls/${first.id}/recording/start`, { channels: 2 });
    await post(`calls/${second.id}/recording/start`, { channels: 1 });
    await talkTogether([first, second]);
    await join(third);
    await talkTogether([first, second, third]);
    await act(conferenceId, second, 'hold');
    await talkTogether([first, third]);
    await act(conferenceId, second, 'unhold');
    await talkTogether([first, second, third]);
    await post(`conferences/${conferenceId}/end`);
    await expectEnded(conferenceId, [first, second, third]);
    const [said, heard] = await stage.recording(first.id);
    expect(toneSeconds(said!, first.hz), 'the recorded participant').to.be.above(1.5);
    const half = heard!.seconds / 2;
    for (const { hz } of [second, third]) {
      expect(toneSeconds(heard!, hz, 0.2), `${hz} Hz in the whole recording`).to.be.above(1);
      expect(toneSeconds(slice(heard!, half), hz, 0.2), `${hz} Hz in the second half`).to.be.above(0.5);
    }
    expect(toneSeconds(heard!, first.hz, 0.05)).to.be.below(0.2);
    const [mix] = await stage.recording(second.id);
    for (const { hz } of [first, second, third]) {
      expect(toneSeconds(mix!, hz, 0.1), `${hz} Hz in the mix`).to.be.above(1);
    }
  });

  it('all participants hear that it is recorded, if the project requires it', async () => {
    const [first, second] = (await Promise.all(phones.slice(0, 2).map((phone) => callPhone(stage, phone)))) as [
      Called,
      Called,
    ];
    const { conference_id: conferenceId } = await join(first, { muted: true });
    await join(second, { muted: true });
    const words = [first, second].map((member) => ({ member, hears: since(member.phone, member.callId) }));
    const announce = (how: string) =>
      stage.platform.stores.db.query('UPDATE projects SET recording_announcement = $1', [how]);
    await announce('en');
    await post(`calls/${first.id}/recording/start`, { channels: 1 });
    await announce('off');
    for (const { member, hears } of words) {
      await member.phone.waitToHear(() => loudSeconds(hears()) > 0.8, { callId: member.callId });
    }
    await post(`conferences/${conferenceId}/end`);
    await expectEnded(conferenceId, [first, second]);
  });

  it('admits exactly the maximum of many concurrent calls', async () => {
    await stage.sippCarrier({ scenario: 'uas-answer', echo: true });
    const ids = await Promise.all(
      Array.from({ length: 9 }, async (_, index) => (await stage.call({ to: `+96650123450${index}` })).call_id),
    );
    await Promise.all(ids.map((id) => stage.receivedEvent(id, 'call.answered')));
    const json = { name: 'crowd', max_participants: 5 };
    const answers = await Promise.all(ids.map((id) => stage.request('POST', `/v1/calls/${id}/conference`, { json })));
    const [inside, outside] = [
      answers.filter(({ status }) => status === 200),
      answers.filter(({ status }) => status !== 200),
    ];
    expect(inside).to.have.length(5);
    expect(outside.map(({ body }) => body?.error_code)).to.deep.equal(Array(4).fill('CONFERENCE_FULL'));
    const conferenceId = String(inside[0]?.body?.conference_id);
    expect((await read(conferenceId)).participants).to.have.length(5);
    await post(`conferences/${conferenceId}/end`);
    for (const [index, id] of ids.entries()) {
      if (answers[index]?.status !== 200) await stage.hangup(id);
      await stage.over(id);
    }
    await stage.noCarrier();
  });

  describe('across a restart of the application', () => {
    it('continues without a gap and can be controlled; participants who left meanwhile are reported', async () => {
      const { conferenceId, all } = await three();
      const [first, second, third] = all;
      await talkTogether(all);
      await act(conferenceId, second, 'mute');
      await stage.halt();
      await talkTogether([first, third], [second]);
      await stage.resume();
      await talkTogether([first, third], [second]);
      await act(conferenceId, second, 'unmute');
      await talkTogether(all);
      for (const { phone, callId } of all) expect(phone.missingSeconds(callId)).to.be.below(1);
      await stage.halt();
      await third.phone.hangup(third.callId);
      await stage.resume();
      const left = await stage.receivedEvent(third.id, 'conference.participant_left');
      expect(left.data).to.include({ conference_id: conferenceId, recovered: true, participant_count: 2 });
      await talkTogether([first, second]);
      await post(`conferences/${conferenceId}/end`);
      await expectEnded(conferenceId, all);
    });

    it('ends for all if a participant with end_on_exit left meanwhile', async () => {
      const { conferenceId, all } = await three({ end_on_exit: true });
      await stage.halt();
      await all[0].phone.hangup(all[0].callId);
      await talkTogether(all.slice(1));
      await stage.resume();
      await expectEnded(conferenceId, all);
    });
  });
});
