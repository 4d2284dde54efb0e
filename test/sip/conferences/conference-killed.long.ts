import type { ConferenceObject } from '../../../core/model/objects/conference.js';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Answer } from '../../support/api.js';
import { readChannels } from '../../support/judges/audio.js';
import { eventually } from '../../support/eventually.js';
import { partSeconds, talkTogether, type Member } from '../../support/judges/mixed-hearing.js';
import { freeSipPort } from '../../support/phones/index.js';
import { embeddedSettings } from '../../support/platform/platform-process.js';
import { ProcessStage } from '../../support/stages/process-stage.js';
import { AGENT_HZ, CARRIER_HZ, CUSTOMER } from '../../support/calls/trunk-talkers.js';

const SECOND_HZ = 1400;

describe('a conference whose application is killed', () => {
  let stage: ProcessStage;
  let members: readonly (Omit<Member, 'callId'> & { readonly number: string })[];

  before(async () => {
    const carrierPort = await freeSipPort();
    stage = await ProcessStage.start({
      ...(await embeddedSettings(await mkdtemp(join(tmpdir(), 'hatif-conference-')))),
      SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
    });
    const { carrier, agent } = await stage.talkers(carrierPort);
    const [first, second] = stage.bootstrap.sip.agents;
    members = [
      { phone: agent, hz: AGENT_HZ, number: first!.number },
      { phone: await stage.softphone(1, SECOND_HZ), hz: SECOND_HZ, number: second!.number },
      { phone: carrier, hz: CARRIER_HZ, number: CUSTOMER },
    ];
  });
  after(() => stage.close());

  async function request(method: string, path: string, json?: object): Promise<Answer> {
    const answer = await stage.request(method, path, json);
    expect(answer.status, answer.text).to.equal(200);
    return answer;
  }

  async function read(conferenceId: string): Promise<ConferenceObject> {
    return (await request('GET', `/v1/conferences/${conferenceId}`)).body as unknown as ConferenceObject;
  }

  /** Kills the platform, waits for the action, and starts the platform again. */
  async function killed(meanwhile: () => Promise<unknown>): Promise<void> {
    await stage.kill();
    await meanwhile();
    await stage.start();
  }

  it('continues, is controllable afterwards, and reports participants who left meanwhile', async () => {
    const joined: Member[] = [];
    let conferenceId = '';
    for (const { phone, hz, number } of members) {
      const id = await stage.call({ to: number });
      const callId = await phone.incoming();
      await phone.answer(callId);
      await stage.becomes(id, 'answered');
      const { body } = await request('POST', `/v1/calls/${id}/conference`, { name: 'talk' });
      conferenceId = String(body?.conference_id);
      joined.push({ phone, hz, callId });
    }
    const [first, second, third] = joined as [Member, Member, Member];
    await request('POST', `/v1/conferences/${conferenceId}/recording/start`);
    await talkTogether(joined);
    await killed(() => talkTogether(joined));
    await talkTogether(joined);
    for (const { phone, callId } of joined) expect(phone.missingSeconds(callId)).to.be.below(1);
    const [participant] = (await read(conferenceId)).participants;
    const path = `/v1/conferences/${conferenceId}/participants/${participant!.participant_id}`;
    const isMuted = async () => (await stage.request('POST', `${path}/mute`)).status === 200;
    await eventually(isMuted, 'the conference can be controlled');
    await talkTogether([second, third], [first]);
    await killed(() => third.phone.hangup(third.callId));
    const present = async () =>
      (await read(conferenceId)).participants.filter(({ left_at }) => left_at === null).length;
    await eventually(async () => (await present()) === 2, 'the participant who left is reported');
    await request('POST', `${path}/unmute`);
    await talkTogether([first, second]);
    await request('POST', `/v1/conferences/${conferenceId}/end`);
    await Promise.all([first, second].map(({ phone, callId }) => phone.closed(callId)));
    expect(await read(conferenceId)).to.include({ status: 'ended' });
    const events = async (type: string) =>
      (await request('GET', `/v1/events?type=conference.${type}`)).body?.data as { readonly data: object }[];
    await eventually(async () => (await events('ended')).length > 0, 'the end is reported');
    expect(await events('ended')).to.have.length(1);
    const left = await events('participant_left');
    expect(left.filter(({ data }) => 'recovered' in data)).to.have.length(1);
    await eventually(async () => (await events('recording_ready')).length > 0, 'the recording is stored');
    expect(await events('recording_ready')).to.have.length(1);
    const { url } = (await request('GET', `/v1/conferences/${conferenceId}/recording`)).body as { url: string };
    const [mix] = readChannels(new Uint8Array(await (await fetch(url)).arrayBuffer()));
    for (const { hz } of joined) expect(partSeconds(mix!, hz), `${hz} Hz in the mix`).to.be.above(2);
  });
});
