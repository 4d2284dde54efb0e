import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ConferenceObject } from '../../core/services/conferences/present.js';
import type { Bootstrap } from '../../main/bootstrap.js';
import { ask, type Answer } from '../support/api.js';
import { eventually } from '../support/eventually.js';
import { talkTogether, type Member } from '../support/mixed-hearing.js';
import { Baresip, freeSipPort } from '../support/phones/index.js';
import { killIfThere, PlatformProcess, processesOf } from '../support/platform-process.js';

const OUTSIDE = '+966501234517';
const OUTSIDE_HZ = 1400;
const HZ = [600, 900] as const;

/** With two agreed on Asterisk may go from one to the other, and a phone's recording stands still. */
const CODECS = ['PCMA'] as const;

describe('a conference whose application is killed', () => {
  let dataDir: string;
  let settings: Record<string, string>;
  let platform: PlatformProcess;
  let bootstrap: Bootstrap;
  let phones: { readonly phone: Baresip; readonly hz: number; readonly number: string }[];

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'hatif-conference-'));
    const carrierPort = await freeSipPort();
    settings = {
      HATIF_DATA_DIR: dataDir,
      PORT: '0',
      SIP_PORT: String(await freeSipPort()),
      RTP_PORT_FROM: '20000',
      RTP_PORT_TO: '20498',
      SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
    };
    platform = PlatformProcess.start(settings);
    bootstrap = await platform.ready();
    const { host, port, agents } = bootstrap.sip;
    phones = await Promise.all(
      HZ.map(async (hz, index) => {
        const { agent: user, number, password } = agents[index]!;
        const registrar = { host, port, password };
        const phone = await Baresip.start({ codecs: CODECS, user, registrar, source: { toneHz: hz } });
        await phone.registered();
        return { phone, hz, number };
      }),
    );
    const source = { toneHz: OUTSIDE_HZ };
    const carrier = await Baresip.start({ codecs: CODECS, user: 'carrier', sipPort: carrierPort, source });
    phones.push({ phone: carrier, hz: OUTSIDE_HZ, number: OUTSIDE });
  });
  after(async () => {
    platform.signal('SIGKILL');
    await Promise.all([...phones.map(({ phone }) => phone.close()), platform.exited]);
    for (const pid of processesOf(dataDir)) killIfThere(pid);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  async function request(method: string, path: string, json?: object): Promise<Answer> {
    const answer = await ask(bootstrap.base_url, method, path, { key: bootstrap.live_key, ...(json && { json }) });
    expect(answer.status, answer.text).to.be.below(300);
    return answer;
  }

  async function read(conferenceId: string): Promise<ConferenceObject> {
    return (await request('GET', `/v1/conferences/${conferenceId}`)).body as unknown as ConferenceObject;
  }

  /** The platform dies at once and is started again, while these go on. */
  async function killed(meanwhile: () => Promise<unknown>): Promise<void> {
    platform.signal('SIGKILL');
    expect(await platform.exited).to.equal(null);
    await meanwhile();
    platform = PlatformProcess.start(settings);
    bootstrap = await platform.ready();
  }

  it('goes on, is controllable afterwards, and tells of who left meanwhile', async () => {
    const members: (Member & { readonly id: string })[] = [];
    let conferenceId = '';
    for (const { phone, hz, number } of phones) {
      const id = String((await request('POST', '/v1/calls', { to: number })).body?.call_id);
      const callId = await phone.incoming();
      await phone.answer(callId);
      const isAnswered = async () => (await request('GET', `/v1/calls/${id}`)).body?.status === 'answered';
      await eventually(isAnswered, `${id} is answered`);
      const joined = await request('POST', `/v1/calls/${id}/conference`, { name: 'talk' });
      conferenceId = String(joined.body?.conference_id);
      members.push({ id, phone, hz, callId });
    }
    const [first, second, third] = members as unknown as [Member, Member, Member];
    await talkTogether(members);
    await killed(() => talkTogether(members));
    await talkTogether(members);
    for (const { phone, callId } of members) expect(phone.missingSeconds(callId)).to.be.below(1);
    const [participant] = (await read(conferenceId)).participants;
    const path = `/v1/conferences/${conferenceId}/participants/${participant!.participant_id}`;
    const accepted = async () => {
      const answer = await ask(bootstrap.base_url, 'POST', `${path}/mute`, { key: bootstrap.live_key });
      return answer.status === 200;
    };
    await eventually(accepted, 'the conference can be controlled');
    await talkTogether([second, third], [first]);
    await killed(() => third.phone.hangup(third.callId));
    const here = async () => (await read(conferenceId)).participants.filter(({ left_at }) => left_at === null).length;
    await eventually(async () => (await here()) === 2, 'it is told that one has left');
    await request('POST', `${path}/unmute`);
    await talkTogether([first, second]);
    await request('POST', `/v1/conferences/${conferenceId}/end`);
    await Promise.all([first.phone.closed(first.callId), second.phone.closed(second.callId)]);
    expect(await read(conferenceId)).to.include({ status: 'ended' });
    const events = async () =>
      (await request('GET', '/v1/events?type=conference.*')).body?.data as { type: string; data: object }[];
    const ended = async () => (await events()).filter(({ type }) => type === 'conference.ended');
    await eventually(async () => (await ended()).length === 1, 'the end is told once');
    const left = (await events()).filter(({ type }) => type === 'conference.participant_left');
    expect(left.filter(({ data }) => 'recovered' in data)).to.have.length(1);
  });
});
