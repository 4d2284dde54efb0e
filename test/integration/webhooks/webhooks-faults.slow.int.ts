import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect } from 'chai';

import { BullJobs } from '../../../adapters/jobs/bullmq.js';
import { Database } from '../../../core/data/database.js';
import type { CallStatus } from '../../../core/model/call/call.js';
import type { HatifError } from '../../../core/model/errors/index.js';
import { systemClock } from '../../../core/ports/clock.js';
import { DeliveryLog } from '../../../core/services/webhooks/delivery-log.js';
import { LaneWaker } from '../../../core/services/webhooks/wake.js';
import { WebhookSweep } from '../../../core/services/webhooks/sweep.js';
import { Closers } from '../../../core/services/runtime/closers.js';
import { startWebhookWorker } from '../../../jobs/webhook-worker.js';
import { runOften } from '../../support/periodic.js';
import { eventually } from '../../support/eventually.js';
import type { WebhookReceiver } from '../../support/peers/receiver.js';
import { workerProgram } from '../../support/platform/programs.js';
import { testRedis, type TestRedis } from '../../support/platform/redis.js';
import { TcpProxy } from '../../support/peers/tcp-proxy.js';
import type { WebhookStage } from '../../support/stages/webhook-stage.js';
import { deliveryEach, silentLog } from '../../support/stages/webhook-stage.js';

const LIFE: readonly CallStatus[] = ['initiated', 'ringing', 'answered', 'ended'];

describe('webhooks when components fail', function () {
  this.timeout(60_000);
  let stage: WebhookStage;
  let receiver: WebhookReceiver;
  let endpoint: string;

  deliveryEach((...made) => ([stage, receiver, endpoint] = made));

  describe('Redis', () => {
    let redis: TestRedis;
    let proxy: TcpProxy;
    let jobs: BullJobs;
    let stop: (() => Promise<void>) | null;

    beforeEach(async () => {
      redis = await testRedis();
      const { hostname, port } = new URL(redis.url);
      proxy = await TcpProxy.start(hostname, Number(port));
      const url = new URL(redis.url);
      url.host = `127.0.0.1:${proxy.port}`;
      jobs = new BullJobs({ redisUrl: url.href, log: silentLog(), prefix: `test-${endpoint}` });
      stop = null;
    });
    afterEach(async () => {
      await stop?.();
      await jobs.close();
      await proxy.close();
      await redis.close();
    });

    const until = (isAvailable: boolean): Promise<unknown> =>
      eventually(async () => (await jobs.available()) === isAvailable, `available: ${isAvailable}`);

    it('wakes the worker of a lane', async () => {
      await until(true);
      // No sweep runs here: deliveries happen because the worker was woken.
      const waker = new LaneWaker(jobs);
      const unsubscribe = stage.writer.onLanes((lanes) => waker.wake(lanes));
      const { deliverer } = stage;
      stop = jobs.work(
        'webhooks',
        ({ lane }) => {
          deliverer.wake(lane);
          return Promise.resolve();
        },
        4,
      );
      const calls = await Promise.all([1, 2, 3].map(() => stage.commitCall(LIFE)));
      await receiver.waitUntil(() => receiver.accepted().length === 12, 'three calls');
      for (const { id } of calls) receiver.assertLegalPath(id);
      unsubscribe();
    });

    it('unavailable: everything is still delivered, and nothing is lost when it is available again', async () => {
      await until(true);
      const { db } = stage.database;
      const deliverer = stage.newDeliverer({ clock: systemClock });
      const wake = (lane: string): void => deliverer.wake(lane);
      const sweep = new WebhookSweep({ db, clock: systemClock, wake });
      const waker = new LaneWaker(jobs);
      const unsubscribe = stage.writer.onLanes((lanes) => waker.wake(lanes));
      const closers = new Closers();
      closers.add(() => deliverer.stop());
      closers.add(startWebhookWorker(jobs, deliverer));
      closers.add(runOften(sweep));
      stop = () => closers.close();
      const before = await stage.commitCall(LIFE);
      await receiver.waitUntil(() => receiver.accepted().length === 4, 'the call before');
      proxy.cut();
      await until(false);
      expect(await jobs.add('webhooks', [{ lane: endpoint }])).to.equal(false);
      const during = await stage.commitCall(LIFE);
      await receiver.waitUntil(() => receiver.accepted().length === 8, 'the call during the outage');
      proxy.restore();
      await until(true);
      expect(await jobs.add('webhooks', [{ lane: endpoint }])).to.equal(true);
      const after = await stage.commitCall(LIFE);
      await receiver.waitUntil(() => receiver.accepted().length === 12, 'the call after');
      for (const { id } of [before, during, after]) {
        receiver.assertLegalPath(id);
        receiver.assertInOrder(id);
      }
      unsubscribe();
    });

    it('unavailable: a replay is rejected and changes nothing', async () => {
      await until(true);
      receiver.script = () => 410;
      await stage.commitCall(['initiated']);
      await stage.pass();
      await stage.endpoints.update(stage.owner, endpoint, { status: 'enabled' });
      proxy.cut();
      await until(false);
      const log = new DeliveryLog({ db: stage.database.db, jobs, clock: stage.clock, wake: () => undefined });
      const scope = { ...stage.owner, endpointId: endpoint };
      try {
        await log.replay(scope, { from: new Date(0), to: null, events: null });
        expect.fail('the replay was accepted');
      } catch (error) {
        expect((error as HatifError).code).to.equal('DLQ_REPLAY_BROKER_UNAVAILABLE');
      }
      expect((await stage.rows(endpoint)).map(({ status }) => status)).to.deep.equal(['dead']);
    });

    it('keeps one waiting job per lane, and one more for a lane whose job is running', async () => {
      await until(true);
      for (let n = 0; n < 5; n += 1) await jobs.add('webhooks', [{ lane: 'one' }, { lane: 'two' }]);
      const started: string[] = [];
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const both = new Promise<void>((resolve) => {
        stop = jobs.work(
          'webhooks',
          async ({ lane }) => {
            started.push(lane);
            if (started.length === 2) resolve();
            await held;
          },
          4,
        );
      });
      await both;
      for (let n = 0; n < 3; n += 1) await jobs.add('webhooks', [{ lane: 'one' }]);
      release();
      while (started.length < 3) await new Promise((resolve) => setImmediate(resolve));
      await stop?.();
      expect([...started].sort()).to.deep.equal(['one', 'one', 'two']);
    });
  });

  it('a worker that is killed during a request: the message is sent again, with the same id and bytes', async () => {
    receiver.script = () => 'hold';
    await stage.commitCall(['initiated']);
    const worker = spawn(process.execPath, [workerProgram('webhook-worker'), stage.database.url, endpoint], {
      stdio: 'ignore',
    });
    const first = await receiver.waitFor(({ type }) => type === 'call.initiated', 'the worker');
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    receiver.script = () => 204;
    // The stage's clock is a minute ahead, so the claim has expired.
    await stage.pass();
    const second = receiver.events()[1];
    expect(receiver.events()).to.have.lengthOf(2);
    expect(second).to.include({ id: first.id, body: first.body, status: 204 });
    receiver.assertSound();
    expect((await stage.rows(endpoint)).map(({ status }) => status)).to.deep.equal(['delivered']);
  });

  it('a worker that stops: running requests are completed, and unsent claims are released at once', async () => {
    const deliverer = stage.newDeliverer({ parallel: 2 });
    await stage.insertEvents(20, endpoint);
    // The deliverer claims deliveries ahead for a receiver that is fast at first.
    receiver.script = () => (receiver.events().length <= 2 ? 204 : 'hold');
    deliverer.wake(endpoint);
    await receiver.waitUntil(() => receiver.events().length === 4, 'two requests that are held');
    const stopped = deliverer.stop();
    receiver.release();
    await stopped;
    expect(receiver.events()).to.have.lengthOf(4);
    const rows = await stage.database.db.query<{ status: string; locked: boolean; attempts: number }>(
      `SELECT status, locked_until IS NOT NULL AS locked, attempts FROM webhook_deliveries ORDER BY status`,
    );
    expect(rows.filter(({ status }) => status === 'delivered')).to.have.lengthOf(4);
    const unsent = { status: 'pending', locked: false, attempts: 0 };
    expect(rows.filter(({ status }) => status === 'pending')).to.deep.equal(Array(16).fill(unsent));
    receiver.script = () => 204;
    await stage.pass();
    expect(receiver.accepted()).to.have.lengthOf(20);
  });

  it('a database outage: results of sent messages are stored afterwards', async () => {
    const { hostname, port, pathname, username, password } = new URL(stage.database.url);
    const proxy = await TcpProxy.start(hostname, Number(port));
    const db = Database.open(`postgres://${username}:${password}@127.0.0.1:${proxy.port}${pathname}`);
    const deliverer = stage.newDeliverer({ db });
    receiver.script = () => 'hold';
    await stage.commitCall(['initiated']);
    deliverer.wake(endpoint);
    await receiver.waitFor(({ type }) => type === 'call.initiated');
    proxy.cut();
    receiver.release();
    await receiver.waitUntil(() => receiver.accepted().length === 1);
    proxy.restore();
    await deliverer.idle();
    expect((await stage.rows(endpoint)).map(({ status }) => status)).to.deep.equal(['delivered']);
    expect(receiver.events()).to.have.lengthOf(1);
    await db.close();
    await proxy.close();
  });
});
