import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { CallObject } from '../../core/services/calls/present.js';
import type { Bootstrap } from '../../main/bootstrap.js';
import { ask, type Answer } from '../support/api.js';
import { longestSilenceSeconds, slice, toneSeconds } from '../support/audio.js';
import { eventually } from '../support/eventually.js';
import { talk } from '../support/hearing.js';
import { Baresip, freeSipPort } from '../support/phones/index.js';
import { PlatformProcess, processesOf } from '../support/platform-process.js';
import { WebhookReceiver } from '../support/receiver.js';

const CUSTOMER = '+966501234517';
const ANOTHER = '+966501234518';

/** The old and the new version are two processes on the same data folder; what they run is the same, how they follow each other is not. */
describe('an upgrade with live calls', () => {
  let dataDir: string;
  let settings: Record<string, string>;
  let running: PlatformProcess[] = [];
  let bootstrap: Bootstrap;
  let carrier: Baresip;
  let agent: Baresip;
  let receiver: WebhookReceiver;

  const start = async (): Promise<PlatformProcess> => {
    const platform = PlatformProcess.start(settings);
    running.push(platform);
    bootstrap = await platform.ready();
    return platform;
  };

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'hatif-upgrade-'));
    const carrierPort = await freeSipPort();
    settings = {
      HATIF_DATA_DIR: dataDir,
      PORT: '0',
      SIP_PORT: String(await freeSipPort()),
      RTP_PORT_FROM: '20500',
      RTP_PORT_TO: '20998',
      SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
      DRAIN_SECONDS: '60',
    };
    await start();
    const codecs = ['PCMA'] as const;
    carrier = await Baresip.start({ codecs, user: 'carrier', sipPort: carrierPort, source: { toneHz: 900 } });
    const [first] = bootstrap.sip.agents;
    const registrar = { host: bootstrap.sip.host, port: bootstrap.sip.port, password: first!.password };
    agent = await Baresip.start({ codecs, user: first!.agent, registrar, source: { toneHz: 600 } });
    await agent.registered();
    receiver = await WebhookReceiver.start();
    const endpoint = await request('POST', '/v1/webhooks', { url: receiver.url('/events'), events: ['*'] });
    receiver.trust(String(endpoint.body?.secret));
  });
  after(async () => {
    for (const platform of running) platform.signal('SIGKILL');
    await Promise.all([carrier.close(), agent.close(), receiver.close(), ...running.map(({ exited }) => exited)]);
    for (const pid of processesOf(dataDir)) process.kill(pid, 'SIGKILL');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  const request = (method: string, path: string, json?: object): Promise<Answer> =>
    ask(bootstrap.base_url, method, path, { key: bootstrap.live_key, ...(json && { json }) });

  const read = async (callId: string): Promise<CallObject> =>
    (await request('GET', `/v1/calls/${callId}`)).body as unknown as CallObject;

  const place = async (to: string): Promise<string> => {
    const placed = await request('POST', '/v1/calls', { to, connect: { type: 'agent', target: '1001' } });
    expect(placed.status, placed.text).to.equal(202);
    return String(placed.body?.call_id);
  };

  interface Conversation {
    readonly callId: string;
    readonly atCarrier: string;
    readonly atAgent: string;
  }

  async function conversation(): Promise<Conversation> {
    const callId = await place(CUSTOMER);
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await talk({ phone: carrier, hz: 900, callId: atCarrier }, { phone: agent, hz: 600, callId: atAgent });
    return { callId, atCarrier, atAgent };
  }

  /** The conversation goes on: each hears the other for a second from now on. */
  async function goesOn({ atCarrier, atAgent }: Conversation): Promise<void> {
    const more = async (phone: Baresip, callId: string, hz: number): Promise<void> => {
      const from = phone.heard(callId).seconds;
      await phone.waitToHear((audio) => toneSeconds(audio.seconds > from ? slice(audio, from) : audio, hz) > 1, {
        callId,
      });
    };
    await Promise.all([more(carrier, atCarrier, 600), more(agent, atAgent, 900)]);
  }

  /** The process in command takes the call's leg in hand, and ends it; the whole call had no gap and was told as one. */
  async function isControlledToItsEnd({ callId, atCarrier, atAgent }: Conversation): Promise<void> {
    const muted = await eventually(async () => {
      const answer = await request('POST', `/v1/calls/${callId}/mute`, { leg: 'agent' });
      return answer.status === 200 && answer;
    }, 'the call is controlled by the new process');
    expect(muted.body).to.include({ call_id: callId });
    const [customer, other] = [carrier.heard(atCarrier).seconds, agent.heard(atAgent).seconds];
    expect((await request('POST', `/v1/calls/${callId}/hangup`)).status).to.equal(200);
    await Promise.all([carrier.closed(atCarrier), agent.closed(atAgent)]);
    for (const [phone, id] of [
      [carrier, atCarrier],
      [agent, atAgent],
    ] as const) {
      expect(phone.missingSeconds(id)).to.be.lessThan(1);
    }
    // From the first sound to the mute there was no silence in what the other side heard.
    expect(longestSilenceSeconds(slice(agent.heard(atAgent), 1, other))).to.be.lessThan(1);
    expect(longestSilenceSeconds(slice(carrier.heard(atCarrier), 1, customer))).to.be.lessThan(1);
    const call = await eventually(async () => {
      const now = await read(callId);
      return now.status === 'ended' && now;
    }, 'the end of the call');
    expect(call).to.include({ disposition: 'answered', agent: '1001' });
    expect(call.duration_seconds).to.be.closeTo(carrier.heard(atCarrier).seconds, 2);
    await receiver.waitFor(({ type, data }) => type === 'call.ended' && data.call_id === callId, 'the end of the call');
    receiver.assertSound();
    receiver.assertLegalPath(callId);
    receiver.assertInOrder(callId);
  }

  it('beside the old version: the new one gets engine and calls as soon as the old one is asked to stop', async () => {
    const [old] = running as [PlatformProcess];
    const conversing = await conversation();
    await start();
    old.signal('SIGTERM');
    // Nothing is refused meanwhile: a call that is placed now rings.
    const placed = await place(ANOTHER);
    const ringing = await carrier.incoming();
    await carrier.reject(ringing);
    expect(await old.exited, old.output).to.equal(0);
    expect(old.output).to.contain('another process has taken over');
    await goesOn(conversing);
    await isControlledToItsEnd(conversing);
    const refused = await eventually(async () => {
      const call = await read(placed);
      return call.status !== 'initiated' && call.status !== 'ringing' && call;
    }, 'the call that was placed meanwhile ends');
    expect(refused).to.include({ disposition: 'busy' });
  });

  it('in its place: `hatif handover` ends the old version only, and the next start takes over', async () => {
    const old = running.at(-1)!;
    const conversing = await conversation();
    const cli = spawn(process.execPath, ['--import', 'tsx', 'cli/main.ts', 'handover'], {
      env: { ...process.env, HATIF_CACHE_DIR: process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache'), ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [said, complaint] = await Promise.all([text(cli.stdout), text(cli.stderr), once(cli, 'close')]);
    expect(cli.exitCode, complaint).to.equal(0);
    expect(said).to.contain('live calls go on');
    expect(await old.exited, old.output).to.equal(0);
    expect(old.output).to.contain('the parts go on');
    await goesOn(conversing);
    // Somebody who calls meanwhile hears it ringing until the new version is there.
    const caller = await carrier.dial(`sip:${bootstrap.line_number}@${bootstrap.sip.host}:${bootstrap.sip.port}`);
    await start();
    await carrier.waitFor('CALL_ESTABLISHED', { callId: caller });
    await carrier.hangup(caller);
    await carrier.closed(caller);
    await eventually(async () => (await read(conversing.callId)).status === 'answered', 'the call is still there');
    expect((await request('POST', `/v1/calls/${conversing.callId}/hangup`)).status).to.equal(200);
    await Promise.all([carrier.closed(conversing.atCarrier), agent.closed(conversing.atAgent)]);
    expect(agent.missingSeconds(conversing.atAgent)).to.be.lessThan(1);
    await receiver.waitFor(({ type, data }) => type === 'call.ended' && data.call_id === conversing.callId);
    receiver.assertLegalPath(conversing.callId);
    running = running.slice(-1);
  });

  it('in its place, while the old version is draining: it waits no longer', async () => {
    const old = running.at(-1)!;
    const conversing = await conversation();
    old.signal('SIGTERM');
    await old.says('live calls may go on');
    old.signal('SIGUSR2');
    expect(await old.exited, old.output).to.equal(0);
    expect(old.output).to.contain('the parts go on');
    await goesOn(conversing);
    await start();
    await isControlledToItsEnd(conversing);
    running = running.slice(-1);
  });

  it('and a process that waits, and is asked to stop, leaves the other’s parts alone', async () => {
    const owner = running.at(-1)!;
    const waiting = PlatformProcess.start(settings);
    await waiting.ready();
    waiting.signal('SIGTERM');
    expect(await waiting.exited, waiting.output).to.equal(0);
    const parts = processesOf(dataDir);
    expect(parts).to.have.length.at.least(3);
    owner.signal('SIGTERM');
    expect(await owner.exited, owner.output).to.equal(0);
    expect(owner.output).to.contain('data is kept');
    expect(processesOf(dataDir)).to.deep.equal([]);
  });
});
