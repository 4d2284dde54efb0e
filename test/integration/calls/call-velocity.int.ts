import { expect } from 'chai';
import { connectRedis } from '../../../adapters/jobs/redis.js';
import { RedisCallVelocity, type VelocityLimits } from '../../../core/services/dialling/velocity.js';
import { newId } from '../../../core/model/ids.js';
import type { Answer } from '../../support/api.js';
import { callbackEach, type CallbackStage } from '../../support/stages/callbacks.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { quiet } from '../../support/logger.js';
import { testRedis, type TestRedis } from '../../support/platform/redis.js';
import { outcome } from '../../support/judges/outcome.js';

const SANDBOX_BUSY = '+966500000003';
const NUMBER = '+966501234517';

describe('call velocity', function () {
  this.timeout(30_000);
  let server: TestRedis;
  let redis: ReturnType<typeof connectRedis>;
  let stage: CallbackStage;

  before(async () => {
    server = await testRedis();
    redis = connectRedis(server.url, 'hatif:test', quiet, { maxRetriesPerRequest: 1 });
    await new Promise((resolve) => redis.once('ready', resolve));
  });
  after(async () => {
    redis.disconnect();
    await server.close();
  });
  callbackEach((made) => (stage = made));

  function limit(limits: VelocityLimits, isOn = true, log = quiet): RedisCallVelocity {
    const made = new RedisCallVelocity({ redis, limits, isOn: () => Promise.resolve(isOn), log });
    stage.velocity = made;
    return made;
  }
  const post = (to: string, key = stage.liveKey): Promise<Answer> => stage.post({ to }, { key });
  const keysOf = (projectId: string) => redis.keys(`hatif:velocity:${projectId}*`);

  it('is limited per number, and the error says when to retry', async () => {
    limit({ perMinute: 30, numberPerTenMinutes: 2 });
    for (let call = 0; call < 2; call += 1) expect(outcome(await post(NUMBER))).to.equal('202 initiated');
    const refused = await post('0501234517');
    expect(outcome(refused)).to.equal('429 CALL_VELOCITY_EXCEEDED');
    expect(Number(refused.headers.get('retry-after'))).to.be.within(540, 600);
    expect(refused.body?.message).to.include('More than 2 calls were placed in 600 seconds');
    expect(outcome(await post('+966501234518'))).to.equal('202 initiated');
  });

  it('is limited per project, whatever the numbers; a refused call is not counted', async () => {
    limit({ perMinute: 2, numberPerTenMinutes: 5 });
    await post('+966501234511');
    await post('+966501234512');
    const refused = await post('+966501234513');
    expect(outcome(refused)).to.equal('429 CALL_VELOCITY_EXCEEDED');
    expect(Number(refused.headers.get('retry-after'))).to.be.within(30, 60);
    const { projectId } = stage.phones.ground;
    expect(await keysOf(projectId)).to.have.length(3);
    expect(await redis.zcard(`hatif:velocity:${projectId}`)).to.equal(2);
    expect(JSON.stringify(await keysOf(projectId))).to.not.include('50123451');
  });

  it('uses a sliding window: a call is allowed when the oldest one leaves it', async () => {
    limit({ perMinute: 2, numberPerTenMinutes: 5 });
    const { projectId } = stage.phones.ground;
    const [seconds] = await redis.time();
    const ago = (age: number): number => (Number(seconds) - age) * 1000;
    await redis.zadd(`hatif:velocity:${projectId}`, ago(40), 'first', ago(10), 'second');
    const refused = await post(NUMBER);
    const [later] = await redis.time();
    // The first call leaves the window 20 s after it was counted.
    const passed = Number(later) - Number(seconds);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(19 - passed, 20);
    await redis.zadd(`hatif:velocity:${projectId}`, ago(61), 'first');
    expect(outcome(await post(NUMBER))).to.equal('202 initiated');
  });

  it('is counted separately for each project, and for the sandbox', async () => {
    limit({ perMinute: 1, numberPerTenMinutes: 1 });
    expect(outcome(await post(NUMBER))).to.equal('202 initiated');
    expect(outcome(await post(SANDBOX_BUSY, stage.sandboxKey))).to.equal('202 initiated');
    expect(outcome(await post(SANDBOX_BUSY, stage.sandboxKey))).to.equal('429 CALL_VELOCITY_EXCEEDED');
    const other = { projectId: newId(), organizationId: newId(), sandbox: false, to: NUMBER };
    await stage.velocity.take(other);
  });

  it('is checked after caller id and destination, and before the engine', async () => {
    limit({ perMinute: 1, numberPerTenMinutes: 1 });
    await post(NUMBER);
    const foreign = { caller_id_number: '+966112345678' };
    expect(outcome(await stage.post({ to: NUMBER, ...foreign }))).to.equal('403 CLI_NOT_OWNED');
    expect(outcome(await post('911'))).to.equal('400 INVALID_PHONE_NUMBER');
    await stage.database.db.query(`UPDATE engines SET status = 'unreachable'`);
    expect(outcome(await post(NUMBER))).to.equal('429 CALL_VELOCITY_EXCEEDED');
  });

  it('is not limited if the feature is off', async () => {
    limit({ perMinute: 1, numberPerTenMinutes: 1 }, false);
    for (let call = 0; call < 3; call += 1) expect(outcome(await post(NUMBER))).to.equal('202 initiated');
    expect(await keysOf(stage.phones.ground.projectId)).to.deep.equal([]);
  });

  it('allows every call while Redis is unavailable, and logs it', async () => {
    const lines: string[] = [];
    const log = { ...quiet, warn: (_: object, line: string) => void lines.push(line) };
    const velocity = limit({ perMinute: 1, numberPerTenMinutes: 1 }, true, log);
    redis.disconnect();
    for (let call = 0; call < 3; call += 1) expect(outcome(await post(NUMBER))).to.equal('202 initiated');
    expect(lines.filter((line) => line.includes('Redis is unavailable'))).to.have.length(1);
    await redis.connect();
    const call = { ...stage.phones.ground, sandbox: false, to: NUMBER };
    await velocity.take(call);
    expect(await failureOf(velocity.take(call))).to.include({ code: 'CALL_VELOCITY_EXCEEDED' });
  });
});
