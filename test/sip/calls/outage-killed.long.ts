import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { settingsFor, sharedAsterisk } from '../../support/platform/asterisk.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { eventually } from '../../support/eventually.js';
import { freeSipPort, type Baresip } from '../../support/phones/index.js';
import { ProcessStage } from '../../support/stages/process-stage.js';
import type { WebhookReceiver } from '../../support/peers/receiver.js';
import { testRedis, type TestRedis } from '../../support/platform/redis.js';
import { TcpProxy } from '../../support/peers/tcp-proxy.js';
import type { TrunkConversation, TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { expectAt } from '../../support/judges/moment.js';

const EVENT_TYPES = ['call.initiated', 'call.ringing', 'call.answered', 'call.ended'];

describe('an application that is killed while PostgreSQL is unavailable', () => {
  let stage: ProcessStage;
  let talkers: TrunkTalkers;
  let database: TestDatabase;
  let redis: TestRedis;
  let cable: TcpProxy;
  let receiver: WebhookReceiver;
  let carrier: Baresip;
  let agent: Baresip;

  before(async () => {
    const [asterisk, carrierPort] = await Promise.all([sharedAsterisk(), freeSipPort()]);
    [database, redis] = await Promise.all([testDatabase(), testRedis()]);
    const address = new URL(database.url);
    cable = await TcpProxy.start(address.hostname, Number(address.port));
    address.hostname = '127.0.0.1';
    address.port = String(cable.port);
    stage = await ProcessStage.start({
      HATIF_DATA_DIR: await mkdtemp(join(tmpdir(), 'hatif-killed-')),
      PORT: '0',
      DATABASE_URL: address.href,
      REDIS_URL: redis.url,
      ...settingsFor(asterisk),
      SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
      HATIF_FLAGS_OFF: 'call_velocity',
      WEBHOOK_ALLOW_LOOPBACK: 'true',
    });
    talkers = await stage.talkers(carrierPort);
    ({ carrier, agent } = talkers);
    receiver = await stage.receiver();
  });
  after(async () => {
    await receiver.close();
    await stage.close();
    await cable.close();
    await Promise.all([database.close(), redis.close()]);
  });

  /** The database becomes unavailable while the customer's phone rings: later changes are only in the journal. */
  async function conversationWithoutDatabase(): Promise<TrunkConversation> {
    const callId = await talkers.place();
    const atCarrier = await carrier.incoming();
    await receiver.waitFor(({ type, data }) => type === 'call.ringing' && data.call_id === callId, 'the ringing');
    // An unfinished delivery of the killed process would block the next ones until its claim expires.
    const pending = `SELECT 1 FROM webhook_deliveries WHERE call_id = $1 AND status = 'pending'`;
    await eventually(async () => (await database.db.query(pending, [callId])).length === 0, 'all events are delivered');
    cable.cut();
    return { callId, ...(await talkers.join(atCarrier)) };
  }

  function isJournalled(callId: string, type: string): boolean {
    const folder = join(stage.dataDir, 'journal');
    const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
    return lines.some((line) => line.includes(callId) && line.includes(`"type":"${type}"`));
  }

  /** @returns the time of the start, before which the application was not running. */
  async function restart(): Promise<number> {
    cable.restore();
    const [{ status } = { status: 'none' }] = await database.db.query<{ status: string }>(
      'SELECT status FROM calls ORDER BY created_at DESC LIMIT 1',
    );
    expect(status).to.equal('ringing');
    const startedAt = Date.now();
    await stage.start();
    return startedAt;
  }

  async function expectReported(callId: string): Promise<void> {
    await receiver.waitFor(({ type, data }) => type === 'call.ended' && data.call_id === callId, 'the end');
    receiver.assertSound();
    receiver.assertLegalPath(callId);
    receiver.assertInOrder(callId);
    const types = receiver.accepted().filter(({ data }) => data.call_id === callId);
    expect(types.map(({ type }) => type)).to.deep.equal(EVENT_TYPES);
  }

  async function expectCharged(callId: string): Promise<void> {
    const { answered_at, ended_at, duration_seconds } = await stage.read(callId);
    const seconds = Math.round((Date.parse(String(ended_at)) - Date.parse(String(answered_at))) / 1000);
    expect(duration_seconds).to.equal(seconds);
    const charges = await database.db.query('SELECT seconds FROM charges WHERE call_id = $1', [callId]);
    expect(charges).to.deep.equal([{ seconds }]);
  }

  it('loses nothing of a call that ended before the kill', async () => {
    const { callId, atCarrier, atAgent } = await conversationWithoutDatabase();
    await carrier.hangup(atCarrier);
    await agent.closed(atAgent);
    const ended = Date.now();
    await eventually(() => isJournalled(callId, 'call.ended'), 'the end is in the journal');
    await stage.kill();
    await restart();
    await expectReported(callId);
    const call = await stage.read(callId);
    expect(call).to.include({ status: 'ended', disposition: 'answered' });
    expect(Date.parse(String(call.ended_at))).to.be.at.most(ended);
    await expectCharged(callId);
    for (const { data } of receiver.accepted()) expect(data).not.to.have.property('recovered');
    expect(existsSync(join(stage.dataDir, 'journal')) ? readdirSync(join(stage.dataDir, 'journal')) : []).to.deep.equal(
      [],
    );
  });

  it('takes over a call that continued, with its state from the journal', async () => {
    const { callId, atCarrier, atAgent } = await conversationWithoutDatabase();
    await eventually(() => isJournalled(callId, 'call.answered'), 'the answer is in the journal');
    await stage.kill();
    await restart();
    await stage.adopted(callId);
    expect(await stage.read(callId)).to.include({ status: 'answered', agent: '1001' });
    await stage.hangup(callId);
    await talkers.closed({ atCarrier, atAgent });
    await expectReported(callId);
    await expectCharged(callId);
  });

  it('finds the end in the engine’s event log if the call ended after the kill', async () => {
    const { callId, atCarrier, atAgent } = await conversationWithoutDatabase();
    await eventually(() => isJournalled(callId, 'call.answered'), 'the answer is in the journal');
    await stage.kill();
    const notBefore = Date.now();
    await carrier.hangup(atCarrier);
    const notAfter = await restart();
    await expectReported(callId);
    await agent.closed(atAgent);
    expectAt((await stage.read(callId)).ended_at, { notBefore, notAfter });
    const last = receiver.accepted().find(({ type, data }) => type === 'call.ended' && data.call_id === callId);
    expect(last?.data).to.include({ recovered: true });
    await expectCharged(callId);
  });
});
