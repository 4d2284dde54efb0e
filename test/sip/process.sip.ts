import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CallObject } from '../../core/services/calls/present.js';
import type { TimelineObject } from '../../core/services/calls/read.js';
import type { Bootstrap } from '../../main/bootstrap.js';
import { ask, type Answer } from '../support/api.js';
import { slice, toneSeconds } from '../support/audio.js';
import { eventually } from '../support/eventually.js';
import { talk } from '../support/hearing.js';
import { secretsIn } from '../support/log-secrets.js';
import { Baresip, freeSipPort } from '../support/phones/index.js';
import { PlatformProcess, processesOf } from '../support/platform-process.js';

const CUSTOMER = '+966501234517';

describe('the process', () => {
  let dataDir: string;
  let settings: Record<string, string>;
  let platform: PlatformProcess;
  let bootstrap: Bootstrap;
  let carrier: Baresip;
  let agent: Baresip;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'hatif-process-'));
    const carrierPort = await freeSipPort();
    settings = {
      HATIF_DATA_DIR: dataDir,
      PORT: '0',
      SIP_PORT: String(await freeSipPort()),
      RTP_PORT_FROM: '20000',
      RTP_PORT_TO: '20498',
      SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
      DRAIN_SECONDS: '30',
    };
    platform = PlatformProcess.start(settings);
    bootstrap = await platform.ready();
    // With two agreed on Asterisk may go from one to the other, and a phone's recording stands still.
    const codecs = ['PCMA'] as const;
    carrier = await Baresip.start({ codecs, user: 'carrier', sipPort: carrierPort, source: { toneHz: 900 } });
    const [first] = bootstrap.sip.agents;
    const registrar = { host: bootstrap.sip.host, port: bootstrap.sip.port, password: first!.password };
    agent = await Baresip.start({ codecs, user: first!.agent, registrar, source: { toneHz: 600 } });
    await agent.registered();
  });
  after(async () => {
    platform.signal('SIGKILL');
    await Promise.all([carrier.close(), agent.close(), platform.exited]);
    for (const pid of processesOf(dataDir)) process.kill(pid, 'SIGKILL');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  const request = (method: string, path: string, json?: object): Promise<Answer> =>
    ask(bootstrap.base_url, method, path, { key: bootstrap.live_key, ...(json && { json }) });

  const read = async (callId: string): Promise<CallObject> =>
    (await request('GET', `/v1/calls/${callId}`)).body as unknown as CallObject;

  const timeline = async (callId: string): Promise<TimelineObject[]> =>
    (await request('GET', `/v1/calls/${callId}/timeline`)).body?.data as TimelineObject[];

  const isIn = (callId: string, status: string): Promise<unknown> =>
    eventually(async () => (await read(callId)).status === status, `${callId} is ${status}`);

  interface Conversation {
    readonly callId: string;
    readonly atCarrier: string;
    readonly atAgent: string;
  }

  async function conversation(): Promise<Conversation> {
    const placed = await request('POST', '/v1/calls', { to: CUSTOMER, connect: { type: 'agent', target: '1001' } });
    expect(placed.status, placed.text).to.equal(202);
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await talk({ phone: carrier, hz: 900, callId: atCarrier }, { phone: agent, hz: 600, callId: atAgent });
    return { callId: String(placed.body?.call_id), atCarrier, atAgent };
  }

  /** The conversation goes on: each hears the other for a second from now on. */
  async function goesOn({ atCarrier, atAgent }: Conversation): Promise<void> {
    const more = async (phone: Baresip, callId: string, hz: number): Promise<void> => {
      const from = phone.heard(callId).seconds;
      await phone.waitToHear((audio) => toneSeconds(slice(audio, from), hz) > 1, { callId });
    };
    await Promise.all([more(carrier, atCarrier, 600), more(agent, atAgent, 900)]);
  }

  it('keeps its keys and passwords from others', async () => {
    expect((await stat(join(dataDir, 'bootstrap.json'))).mode & 0o777).to.equal(0o600);
    expect(platform.output).to.contain(bootstrap.base_url).and.not.to.contain(bootstrap.live_key);
  });

  it('is killed while a call talks: the next one takes the call over', async () => {
    const conversing = await conversation();
    const { callId, atCarrier, atAgent } = conversing;
    const known = bootstrap;
    platform.signal('SIGKILL');
    expect(await platform.exited).to.equal(null);
    await goesOn(conversing);
    platform = PlatformProcess.start(settings);
    bootstrap = await platform.ready();
    expect({ ...bootstrap, base_url: '', docs_url: '' }).to.deep.equal({ ...known, base_url: '', docs_url: '' });
    await goesOn(conversing);
    await eventually(async () => (await timeline(callId)).some(({ type }) => type === 'call.adopted'), 'adoption');
    const hungUp = await request('POST', `/v1/calls/${callId}/hangup`);
    expect(hungUp.status, hungUp.text).to.equal(200);
    await Promise.all([carrier.closed(atCarrier), agent.closed(atAgent)]);
    expect(carrier.missingSeconds(atCarrier)).to.be.lessThan(1);
    expect(agent.missingSeconds(atAgent)).to.be.lessThan(1);
    await isIn(callId, 'ended');
    const events = (await timeline(callId)).filter(
      ({ sequence, type }) => sequence !== null && type.startsWith('call.'),
    );
    expect(events.map(({ sequence, type }) => `${String(sequence)} ${type}`)).to.deep.equal([
      '1 call.initiated',
      '2 call.ringing',
      '3 call.answered',
      '4 call.ended',
    ]);
  });

  it('is asked to stop: the live call goes on to its end, then nothing runs any more', async () => {
    const conversing = await conversation();
    const parts = processesOf(dataDir);
    expect(parts).to.have.length.at.least(3);
    platform.signal('SIGTERM');
    await platform.says('live calls may go on');
    await goesOn(conversing);
    await carrier.hangup(conversing.atCarrier);
    await agent.closed(conversing.atAgent);
    expect(await platform.exited, platform.output).to.equal(0);
    expect(platform.output).to.contain('data is kept');
    expect(processesOf(dataDir)).to.deep.equal([]);
    expect(parts.filter((pid) => isRunning(pid))).to.deep.equal([]);
  });

  it('starts again with everything it knew', async () => {
    const { live_key, sip } = bootstrap;
    platform = PlatformProcess.start(settings);
    bootstrap = await platform.ready();
    expect(bootstrap).to.deep.include({ live_key, sip });
    const { body } = await request('GET', '/v1/calls?status=ended');
    expect(body?.data).to.have.length(2);
    platform.signal('SIGINT');
    expect(await platform.exited, platform.output).to.equal(0);
    expect(processesOf(dataDir)).to.deep.equal([]);
  });

  it('and its parts told their logs no secret', () => {
    const logs = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !name.startsWith('postgres/') && /\.log$|log\/(?:messages|.*\.csv)$/.test(name),
    );
    expect(logs).to.include.members(['logs/hatif.log', 'asterisk/log/messages', 'postgres.log', 'redis/redis.log']);
    const { live_key, sandbox_key, sip } = bootstrap;
    const passwords = sip.agents.map(({ password }) => password);
    for (const name of logs) {
      const log = readFileSync(join(dataDir, name), 'utf8');
      expect(secretsIn(log, [live_key, sandbox_key, ...passwords]), name).to.deep.equal([]);
    }
  });

  it('says which setting is wrong and starts nothing', async () => {
    const wrong = PlatformProcess.start({ ...settings, PORT: 'eighty', HATIF_ROLLS: 'api', DRAIN_SECONDS: '-1' });
    expect(await wrong.exited).to.equal(2);
    for (const name of ['PORT', 'HATIF_ROLLS', 'DRAIN_SECONDS']) expect(wrong.output).to.contain(name);
    expect(processesOf(dataDir)).to.deep.equal([]);
  });
});

/** An orphan whose end nobody has asked about yet is not running. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
