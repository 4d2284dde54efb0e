import type { TransferObject } from '../../../core/model/objects/transfer.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { loudSeconds, readChannels, slice, toneSeconds, toneWav } from '../../support/judges/audio.js';
import { FREESWITCH_PATH } from '../../../api/routes/platform/freeswitch.js';
import type { Answer } from '../../support/api.js';
import { eventually } from '../../support/eventually.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage, NAME } from '../../support/stages/freeswitch-stage.js';
import { hears, hearsMore, since } from '../../support/judges/hearing.js';
import { talkTogether } from '../../support/judges/mixed-hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import { expectAt, momentOf } from '../../support/judges/moment.js';
import {
  AGENT_HZ,
  CARRIER_HZ,
  CUSTOMER,
  type TrunkConversation,
  type TrunkTalkers,
} from '../../support/calls/trunk-talkers.js';

const OTHER_HZ = 1400;
const PLAYED_HZ = 1800;

describeFreeswitch('the platform with FreeSWITCH only', () => {
  let stage: FreeswitchStage;
  let talkers: TrunkTalkers;
  let carrier: Baresip;
  let agent: Baresip;
  let other: Baresip;

  before(async function () {
    this.timeout(180_000);
    stage = await FreeswitchStage.start();
    talkers = await stage.application.talkers(stage.carrierPort);
    ({ carrier, agent } = talkers);
    other = await stage.application.softphone(1, OTHER_HZ);
  });
  after(() => stage.close());

  async function post(path: string, json: object = {}, status = 200): Promise<Answer> {
    const answer = await stage.application.request('POST', path, json);
    expect(answer.status, `${path}: ${answer.text}`).to.equal(status);
    return answer;
  }

  const does = (callId: string, action: string, json: object = {}): Promise<Answer> =>
    post(`/v1/calls/${callId}/${action}`, json);

  async function ends({ callId, ...atPhones }: TrunkConversation): Promise<void> {
    await stage.application.hangup(callId);
    await talkers.closed(atPhones);
    expect(await stage.application.becomes(callId, 'ended')).to.include({ disposition: 'answered' });
  }

  async function uploadedTone(): Promise<unknown> {
    const { base_url: url, live_key: key } = stage.application.bootstrap;
    const body = new FormData();
    body.set('file', new Blob([Uint8Array.from(toneWav({ hz: PLAYED_HZ, seconds: 2 }))]), 'tone.wav');
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}/v1/callflows/audio`, { method: 'POST', headers, body });
    return ((await answer.json()) as { readonly id?: unknown }).id;
  }

  it('starts no Asterisk', () => {
    expect(existsSync(join(stage.application.dataDir, 'asterisk'))).to.equal(false);
    expect(stage.application.bootstrap.engine).to.deep.equal({ kind: 'none', version: null });
  });

  it('calls a customer and plays audio', async () => {
    const callId = await stage.application.call({ to: CUSTOMER, play: { audio_id: await uploadedTone() } });
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    await carrier.waitToHear(hears(PLAYED_HZ, 1), { callId: atCarrier });
    await carrier.closed(atCarrier);
    expect(await stage.application.becomes(callId, 'ended')).to.include({ disposition: 'answered' });
  });

  it('rings a softphone that is registered with an account from the platform’s directory', async () => {
    const { number } = stage.application.bootstrap.sip.agents[1]!;
    const callId = await stage.application.call({ to: number });
    const ringing = await other.incoming();
    await other.answer(ringing);
    await stage.application.becomes(callId, 'answered');
    await stage.application.hangup(callId);
    await other.closed(ringing);
  });

  it('accepts a call from the trunk and rings the agent with this number', async () => {
    const { number } = stage.application.bootstrap.sip.agents[0]!;
    const atCarrier = await carrier.dial(`sip:${number}@${stage.host.sipAddress}`);
    const ends = await talkers.pickUp(atCarrier);
    await carrier.hangup(atCarrier);
    await talkers.closed(ends);
  });

  it('accepts a call from a softphone to the echo service', async () => {
    const atAgent = await agent.dial(stage.application.bootstrap.line_number);
    await agent.waitToHear(hears(AGENT_HZ), { callId: atAgent, timeoutMs: 40_000 });
    await agent.hangup(atAgent);
  });

  it('holds, mutes, plays and records on command', async () => {
    const talking = await talkers.conversation();
    const { callId, atCarrier, atAgent } = talking;
    await does(callId, 'recording/start');
    await talkers.keepTalking(talking);
    await does(callId, 'hold');
    const music = since(carrier, atCarrier);
    await carrier.waitToHear(() => loudSeconds(music()) > 1, { callId: atCarrier });
    expect(toneSeconds(slice(music(), 0.5), AGENT_HZ)).to.be.below(0.2);
    await does(callId, 'unhold');
    await hearsMore(agent, atAgent, CARRIER_HZ, 0.5);
    await does(callId, 'mute');
    await hearsMore(carrier, atCarrier, AGENT_HZ, 0.5);
    const muted = since(agent, atAgent);
    await hearsMore(carrier, atCarrier, AGENT_HZ, 1);
    expect(toneSeconds(muted(), CARRIER_HZ)).to.be.below(0.4);
    await does(callId, 'unmute');
    await hearsMore(agent, atAgent, CARRIER_HZ, 0.5);
    await does(callId, 'play', { audio_id: await uploadedTone() });
    await carrier.waitToHear(hears(PLAYED_HZ, 1), { callId: atCarrier });
    await ends(talking);
    const { url } = await eventually(async () => {
      const { status, body } = await stage.application.request('GET', `/v1/calls/${callId}/recording`);
      return status === 200 && (body as { readonly url: string });
    }, 'the recording');
    const [said, heard] = readChannels(new Uint8Array(await (await fetch(url)).arrayBuffer()));
    expect(toneSeconds(said!, CARRIER_HZ)).to.be.above(2);
    expect(toneSeconds(heard!, AGENT_HZ)).to.be.above(1);
    expect(toneSeconds(heard!, PLAYED_HZ)).to.be.above(1);
  });

  it('transfers to another agent', async () => {
    const { callId, ...at } = await talkers.conversation();
    const to = { type: 'agent', target: stage.application.bootstrap.sip.agents[1]!.agent };
    await post(`/v1/calls/${callId}/transfer`, { type: 'blind', to }, 202);
    const atOther = await other.incoming();
    await other.answer(atOther);
    await Promise.all([
      hearsMore(carrier, at.atCarrier, OTHER_HZ, 0.5),
      hearsMore(other, atOther, CARRIER_HZ, 0.5),
      agent.closed(at.atAgent),
    ]);
    await eventually(async () => {
      const { body } = await stage.application.request('GET', `/v1/calls/${callId}/transfers`);
      return (body?.data as TransferObject[]).at(-1)?.status === 'completed';
    }, 'the transfer is completed');
    await stage.application.hangup(callId);
    await Promise.all([carrier.closed(at.atCarrier), other.closed(atOther)]);
  });

  it('connects three parties in a conference', async () => {
    const { callId, atCarrier, atAgent } = await talkers.conversation();
    const third = await stage.application.call({ to: stage.application.bootstrap.sip.agents[1]!.number });
    const atOther = await other.incoming();
    await other.answer(atOther);
    await stage.application.becomes(third, 'answered');
    for (const id of [callId, third]) await does(id, 'conference', { name: 'talk' });
    await talkTogether([
      { phone: carrier, hz: CARRIER_HZ, callId: atCarrier },
      { phone: agent, hz: AGENT_HZ, callId: atAgent },
      { phone: other, hz: OTHER_HZ, callId: atOther },
    ]);
    for (const id of [callId, third]) await stage.application.hangup(id);
    await Promise.all([carrier.closed(atCarrier), agent.closed(atAgent), other.closed(atOther)]);
  });

  it('connects a softphone’s emergency call', async () => {
    const atAgent = await agent.dial('997');
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    await talkers.talk({ atCarrier, atAgent });
    await agent.hangup(atAgent);
    await carrier.closed(atCarrier);
  });

  it('does not log the SIP health check as an unknown caller', async () => {
    const log = (await stage.host.log()).split('\n');
    expect(log.filter((line) => /hatif-health|OPTIONS/.test(line))).to.deep.equal([]);
  });

  it('returns no account without the engine’s secret', async () => {
    const { base_url: url, sip } = stage.application.bootstrap;
    const body = new URLSearchParams({ section: 'directory', user: sip.agents[0]!.agent, domain: 'hatif' });
    const authorization = `Basic ${Buffer.from(`${NAME}:not-the-secret`).toString('base64')}`;
    const answer = await fetch(`${url}${FREESWITCH_PATH}`, { method: 'POST', headers: { authorization }, body });
    expect(answer.status).to.equal(401);
    const text = await answer.text();
    expect(JSON.parse(text)).to.include({ error_code: 'ENGINE_UNAUTHORIZED' });
    expect(text).not.to.include(sip.agents[0]!.password);
  });

  describe('when the application is killed', () => {
    it('continues the call, which the next process takes over and controls', async () => {
      const { callId, ...at } = await talkers.conversation();
      await stage.application.kill();
      await talkers.keepTalking(at);
      await stage.application.start();
      expect(stage.application.bootstrap.engine.kind).to.equal('freeswitch');
      await stage.application.adopted(callId);
      await does(callId, 'mute');
      await does(callId, 'unmute');
      await talkers.keepTalking(at);
      await stage.application.hangup(callId);
      await talkers.closed(at);
      expect(talkers.missingSeconds(at)).to.be.lessThan(1);
      expect(await stage.application.becomes(callId, 'ended')).to.include({ disposition: 'answered' });
    });

    it('reports the time when a call ended meanwhile', async () => {
      const { callId, ...at } = await talkers.conversation();
      await stage.application.kill();
      const ended = await momentOf(async () => {
        await carrier.hangup(at.atCarrier);
        await eventually(async () => (await stage.leftInEngine()) === 1, 'the customer’s leg is gone');
      });
      await stage.application.start();
      const call = await stage.application.becomes(callId, 'ended');
      expectAt(call.ended_at, ended);
      expect(call.legs.find(({ leg }) => leg === 'customer')).to.include({ status: 'ended' });
      await agent.closed(at.atAgent);
    });
  });
});
