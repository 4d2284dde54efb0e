import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CallObject } from '../../core/services/calls/present.js';
import type { Bootstrap } from '../../main/bootstrap.js';
import { ask, type Answer } from '../support/api.js';
import { sharedAsterisk } from '../support/asterisk.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { talk } from '../support/hearing.js';
import { Baresip, freeSipPort } from '../support/phones/index.js';
import { PlatformProcess } from '../support/platform-process.js';
import { WebhookReceiver } from '../support/receiver.js';
import { testRedis, type TestRedis } from '../support/redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const CUSTOMER = '+966501234517';
const TOLD = ['call.initiated', 'call.ringing', 'call.answered', 'call.ended'];

describe('an application that is killed while PostgreSQL is away', () => {
  let dataDir: string;
  let database: TestDatabase;
  let redis: TestRedis;
  let cable: TcpProxy;
  let receiver: WebhookReceiver;
  let settings: Record<string, string>;
  let platform: PlatformProcess;
  let bootstrap: Bootstrap;
  let carrier: Baresip;
  let agent: Baresip;

  before(async () => {
    const [asterisk, carrierPort] = await Promise.all([sharedAsterisk(), freeSipPort()]);
    [database, redis, receiver] = await Promise.all([testDatabase(), testRedis(), WebhookReceiver.start()]);
    dataDir = await mkdtemp(join(tmpdir(), 'hatif-killed-'));
    const reached = new URL(database.url);
    cable = await TcpProxy.start(reached.hostname, Number(reached.port));
    reached.hostname = '127.0.0.1';
    reached.port = String(cable.port);
    settings = {
      HATIF_DATA_DIR: dataDir,
      PORT: '0',
      DATABASE_URL: reached.href,
      REDIS_URL: redis.url,
      ASTERISK_ARI_URL: asterisk.ari.url,
      ASTERISK_ARI_USER: asterisk.ari.user,
      ASTERISK_ARI_PASSWORD: asterisk.ari.password,
      ASTERISK_CEL_FILE: asterisk.celFile,
      SIP_PORT: String(asterisk.sip.port),
      SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
      WEBHOOK_ALLOW_LOOPBACK: 'true',
    };
    platform = PlatformProcess.start(settings);
    bootstrap = await platform.ready();
    const codecs = ['PCMA'] as const;
    carrier = await Baresip.start({ codecs, user: 'carrier', sipPort: carrierPort, source: { toneHz: 900 } });
    const [first] = bootstrap.sip.agents;
    const registrar = { ...asterisk.sip, password: first!.password };
    agent = await Baresip.start({ codecs, user: first!.agent, registrar, source: { toneHz: 600 } });
    await agent.registered();
    const json = { url: receiver.url('/events'), events: ['*'] };
    const endpoint = await request('POST', '/v1/webhooks', json);
    expect(endpoint.status, endpoint.text).to.equal(201);
    const { body } = await request('GET', '/v1/webhooks/secret');
    receiver.trust(String(endpoint.body?.secret), String(body?.secret));
  });
  after(async () => {
    platform.signal('SIGKILL');
    await Promise.all([carrier.close(), agent.close(), platform.exited, receiver.close()]);
    await cable.close();
    await Promise.all([database.close(), redis.close()]);
    await rm(dataDir, { recursive: true, force: true });
  });

  const request = (method: string, path: string, json?: object): Promise<Answer> =>
    ask(bootstrap.base_url, method, path, { key: bootstrap.live_key, ...(json && { json }) });
  const read = async (callId: string): Promise<CallObject> =>
    (await request('GET', `/v1/calls/${callId}`)).body as unknown as CallObject;

  interface Conversation {
    readonly callId: string;
    readonly atCarrier: string;
    readonly atAgent: string;
  }

  /** The database goes while the customer's phone rings; everything after that is in the journal alone. */
  async function conversationWithoutDatabase(): Promise<Conversation> {
    const placed = await request('POST', '/v1/calls', { to: CUSTOMER, connect: { type: 'agent', target: '1001' } });
    expect(placed.status, placed.text).to.equal(202);
    const callId = String(placed.body?.call_id);
    const atCarrier = await carrier.incoming();
    await receiver.waitFor(({ type, data }) => type === 'call.ringing' && data.call_id === callId, 'the ringing');
    // A delivery that the killed process had begun would hold the next ones back until its claim runs out.
    const pending = `SELECT 1 FROM webhook_deliveries WHERE call_id = $1 AND status = 'pending'`;
    await eventually(async () => (await database.db.query(pending, [callId])).length === 0, 'all is delivered');
    cable.cut();
    await carrier.answer(atCarrier);
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await talk({ phone: carrier, hz: 900, callId: atCarrier }, { phone: agent, hz: 600, callId: atAgent });
    return { callId, atCarrier, atAgent };
  }

  function isNoted(callId: string, type: string): boolean {
    const folder = join(dataDir, 'journal');
    const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
    return lines.some((line) => line.includes(callId) && line.includes(`"type":"${type}"`));
  }

  /** @returns when the application was gone for the last moment. */
  async function killAndStartAgain(): Promise<number> {
    platform.signal('SIGKILL');
    await platform.exited;
    cable.restore();
    const [{ status } = { status: 'none' }] = await database.db.query<{ status: string }>(
      'SELECT status FROM calls ORDER BY created_at DESC LIMIT 1',
    );
    expect(status).to.equal('ringing');
    const startedAt = Date.now();
    platform = PlatformProcess.start(settings);
    bootstrap = await platform.ready();
    return startedAt;
  }

  async function expectTold(callId: string): Promise<void> {
    await receiver.waitFor(({ type, data }) => type === 'call.ended' && data.call_id === callId, 'the end');
    receiver.assertSound();
    receiver.assertLegalPath(callId);
    receiver.assertInOrder(callId);
    const types = receiver.accepted().filter(({ data }) => data.call_id === callId);
    expect(types.map(({ type }) => type)).to.deep.equal(TOLD);
  }

  async function expectCharged(callId: string): Promise<void> {
    const { answered_at, ended_at, duration_seconds } = await read(callId);
    const seconds = Math.round((Date.parse(String(ended_at)) - Date.parse(String(answered_at))) / 1000);
    expect(duration_seconds).to.equal(seconds);
    const charges = await database.db.query('SELECT seconds FROM charges WHERE call_id = $1', [callId]);
    expect(charges).to.deep.equal([{ seconds }]);
  }

  it('has lost nothing of a call that ended before', async () => {
    const { callId, atCarrier, atAgent } = await conversationWithoutDatabase();
    await carrier.hangup(atCarrier);
    await agent.closed(atAgent);
    const ended = Date.now();
    await eventually(() => isNoted(callId, 'call.ended'), 'the end is noted');
    await killAndStartAgain();
    await expectTold(callId);
    const call = await read(callId);
    expect(call).to.include({ status: 'ended', disposition: 'answered' });
    expect(Date.parse(String(call.ended_at))).to.be.at.most(ended);
    await expectCharged(callId);
    for (const { data } of receiver.accepted()) expect(data).not.to.have.property('recovered');
    expect(existsSync(join(dataDir, 'journal')) ? readdirSync(join(dataDir, 'journal')) : []).to.deep.equal([]);
  });

  it('takes over a call that went on, from where the journal left it', async () => {
    const { callId, atCarrier, atAgent } = await conversationWithoutDatabase();
    await eventually(() => isNoted(callId, 'call.answered'), 'the answer is noted');
    await killAndStartAgain();
    const adopted = async (): Promise<boolean> => {
      const { body } = await request('GET', `/v1/calls/${callId}/timeline`);
      return (body?.data as { type: string }[]).some(({ type }) => type === 'call.adopted');
    };
    await eventually(adopted, 'the call is adopted');
    expect(await read(callId)).to.include({ status: 'answered', agent: '1001' });
    expect((await request('POST', `/v1/calls/${callId}/hangup`)).status).to.equal(200);
    await Promise.all([carrier.closed(atCarrier), agent.closed(atAgent)]);
    await expectTold(callId);
    await expectCharged(callId);
  });

  it('finds the end in the engine’s own record when the call ended after it', async () => {
    const { callId, atCarrier, atAgent } = await conversationWithoutDatabase();
    await eventually(() => isNoted(callId, 'call.answered'), 'the answer is noted');
    platform.signal('SIGKILL');
    await platform.exited;
    const notBefore = Date.now();
    await carrier.hangup(atCarrier);
    const notAfter = await killAndStartAgain();
    await expectTold(callId);
    await agent.closed(atAgent);
    expect(Date.parse(String((await read(callId)).ended_at))).to.be.within(notBefore, notAfter);
    const last = receiver.accepted().find(({ type, data }) => type === 'call.ended' && data.call_id === callId);
    expect(last?.data).to.include({ recovered: true });
    await expectCharged(callId);
  });
});
