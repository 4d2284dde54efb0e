import { expect } from 'chai';
import type { PlacedCallback } from '../../../core/services/callbacks/present.js';
import { callbackEach, type CallbackStage } from '../../support/stages/callbacks.js';
import { callRow, insertRows } from '../../support/rows/rows.js';
import { eventually } from '../../support/eventually.js';

const ANSWERS = '+966500000001';
const UNANSWERED = '+966500000002';
const RINGS_ON = '+966500000006';
const HOUR_MS = 60 * 60 * 1000;

describe('the sandbox', function () {
  this.timeout(30_000);
  let stage: CallbackStage;
  callbackEach((made) => (stage = made));

  const place = (to: string): Promise<PlacedCallback> => stage.placed(to, stage.sandboxKey);
  const code = async (json: object, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { status, body } = await stage.post(json, { key: stage.sandboxKey, headers });
    return status === 202 ? '202' : `${status} ${String(body?.error_code)}`;
  };

  describe('simulates a callback according to its number', () => {
    it('answered, then ended after five seconds', async () => {
      const placed = await place(ANSWERS);
      expect(placed).to.include({ status: 'initiated', sandbox: true, queue_id: null, call_id: placed.callback_id });
      await stage.sandbox.untilStatus(placed.call_id, 'ended');
      const read = await stage.read(placed.callback_id, stage.sandboxKey);
      expect(read).to.include({
        disposition: 'answered',
        duration_seconds: 5,
        agent: '1001',
        sandbox: true,
        customer_number_masked: '+96650••••01',
      });
      expect(await stage.sandbox.eventTypes(placed.call_id)).to.deep.equal([
        'call.initiated',
        'call.ringing',
        'call.answered',
        'call.ended',
      ]);
    });

    for (const [number, status, disposition] of [
      [UNANSWERED, 'missed', 'no_answer'],
      ['+966500000003', 'missed', 'busy'],
      ['+966500000004', 'failed', 'congestion'],
      ['+966500000005', 'timeout', 'no_answer'],
      ['+966500000007', 'ended', 'answered'],
    ] as const) {
      it(`${number} ends ${status}, ${disposition}`, async () => {
        const { call_id } = await place(number);
        const call = await stage.sandbox.untilStatus(call_id, status);
        expect(call).to.include({ disposition, sandbox: true, kind: 'callback', direction: 'outbound' });
      });
    }

    it('rings for hours until it is cancelled', async () => {
      const { call_id } = await place(RINGS_ON);
      await stage.sandbox.untilStatus(call_id, 'ringing');
      await stage.clock.advance(2 * HOUR_MS);
      await stage.sandbox.settle();
      expect((await stage.read(call_id)).status).to.equal('ringing');
      const cancelled = await stage.cancel(stage.sandbox, call_id, stage.sandboxKey);
      expect([cancelled.status, cancelled.body?.status]).to.deep.equal([200, 'cancelled']);
      expect((await stage.sandbox.eventTypes(call_id)).at(-1)).to.equal('call.cancelled');
    });

    it('bridges the customer with a simulated agent and releases both', async () => {
      const { call_id } = await place('+966500000007');
      await stage.sandbox.until(async () => {
        const legs = await stage.sandbox.calls.legsOf([call_id]);
        return legs.length === 2 && legs.every((leg) => stage.sandbox.look(leg.id)?.bridgeId === call_id);
      });
      await stage.sandbox.untilStatus(call_id, 'ended');
      await stage.sandbox.until(async () =>
        (await stage.sandbox.calls.legsOf([call_id])).every((leg) => leg.status === 'ended'),
      );
    });

    it('charges nothing and marks its events', async () => {
      const { call_id } = await place(ANSWERS);
      await stage.sandbox.untilStatus(call_id, 'ended');
      const charges = await stage.database.db.query(`SELECT 1 AS one FROM charges WHERE call_id = $1`, [call_id]);
      expect(charges).to.deep.equal([]);
      const events = await stage.database.db.query<{ sandbox: boolean }>(
        `SELECT sandbox FROM events WHERE call_id = $1`,
        [call_id],
      );
      expect(events.map(({ sandbox }) => sandbox)).to.deep.equal([true, true, true, true]);
    });

    it('needs neither a main number nor a default destination', async () => {
      const { projectId } = stage.sandbox.ground;
      const { key } = await stage.api.key({ projectId, kind: 'sandbox' });
      const { call_id } = await stage.placed(ANSWERS, key);
      const call = await stage.sandbox.untilStatus(call_id, 'ended');
      expect(call).to.include({ line_number: null, agent: null });
    });

    it('never uses a real engine, and real calls never use the simulator', async () => {
      const sandboxed = await place(ANSWERS);
      const real = await stage.placed('+966501234517');
      expect((await stage.phones.calls.find(sandboxed.call_id))?.engine_id).to.equal(stage.sandbox.ground.engineId);
      expect((await stage.phones.calls.find(real.call_id))?.engine_id).to.equal(stage.phones.ground.engineId);
      await stage.database.db.query(`UPDATE engines SET status = 'unreachable' WHERE id = $1`, [
        stage.phones.ground.engineId,
      ]);
      expect((await stage.post({ to: '+966501234517' })).body?.error_code).to.equal('CALL_FAILED');
      expect(await code({ to: UNANSWERED })).to.equal('202');
    });
  });

  describe('rejects', () => {
    it('other numbers, and the number that simulates a server error', async () => {
      expect(await code({ to: '+966501234517' })).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
      expect(await code({ to: stage.phones.agentNumber })).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
      expect(await code({ to: '+966500000017' })).to.equal('500 SANDBOX_SIMULATED_SERVER_ERROR');
      expect(await code({ to: '911' })).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
      expect(await code({ to: '12' })).to.equal('400 INVALID_PHONE_NUMBER');
    });

    it('first a caller id that is not owned, then the destination, then an invalid webhook URL', async () => {
      expect(await code({ to: '+966501234517', caller_id_number: '+966112345678' })).to.equal('403 CLI_NOT_OWNED');
      expect(await code({ to: ANSWERS, webhook_url: 'http://example.com' })).to.equal('400 WEBHOOK_URL_INVALID');
      expect(await code({ to: ANSWERS, caller_id_number: stage.phones.line })).to.equal('202');
    });

    it('while no simulator runs', async () => {
      await stage.database.db.query(`UPDATE engines SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [
        stage.sandbox.ground.engineId,
      ]);
      expect(await code({ to: ANSWERS })).to.equal('502 CALL_FAILED');
    });
  });

  describe('X-Simulate', () => {
    for (const [value, expected] of [
      ['rate_limit', '429 RATE_LIMIT_EXCEEDED'],
      ['invalid_queue', '400 SANDBOX_INVALID_QUEUE'],
      ['queue_unavailable', '503 SANDBOX_QUEUE_UNAVAILABLE'],
      ['server_error', '500 SANDBOX_SIMULATED_SERVER_ERROR'],
      ['invalid_number', '400 INVALID_PHONE_NUMBER'],
      ['credits', '402 INSUFFICIENT_CREDITS'],
      ['velocity', '429 CALL_VELOCITY_EXCEEDED'],
    ] as const) {
      it(`${value} answers ${expected}`, async () => {
        expect(await code({ to: ANSWERS }, { 'X-Simulate': value })).to.equal(expected);
        const rows = await stage.database.db.query(`SELECT id FROM calls WHERE project_id = $1`, [
          stage.phones.ground.projectId,
        ]);
        expect(rows, 'nothing was placed').to.deep.equal([]);
      });
    }

    it('sends the time to wait in Retry-After', async () => {
      for (const value of ['rate_limit', 'velocity']) {
        const { headers } = await stage.post(
          { to: ANSWERS },
          { key: stage.sandboxKey, headers: { 'X-Simulate': value } },
        );
        expect(Number(headers.get('retry-after'))).to.be.above(0);
      }
    });

    it('shows a used-up allowance in the headers of a rate limit', async () => {
      const { headers } = await stage.post(
        { to: ANSWERS },
        { key: stage.sandboxKey, headers: { 'X-Simulate': 'rate_limit' } },
      );
      const names = ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit'];
      expect(names.map((name) => headers.get(name))).to.deep.equal(['30', '5', '0', '30', '"key";r=0;t=30']);
    });

    it('is rejected by name if it is unknown', async () => {
      const { status, body } = await stage.post(
        { to: ANSWERS },
        { key: stage.sandboxKey, headers: { 'X-Simulate': 'earthquake' } },
      );
      expect([status, body?.error_code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(JSON.stringify(body?.details)).to.include('X-Simulate').and.include('queue_unavailable');
    });

    it('is ignored with a production key', async () => {
      const headers = { 'X-Simulate': 'credits' };
      expect((await stage.post({ to: '+966501234517' }, { headers })).status).to.equal(202);
    });

    it('leaves the idempotency key unused', async () => {
      const headers = { 'Idempotency-Key': 'order-1' };
      expect(await code({ to: ANSWERS }, { ...headers, 'X-Simulate': 'credits' })).to.match(/^402/);
      expect(await code({ to: ANSWERS }, headers)).to.equal('202');
    });
  });

  describe('the trial', () => {
    const startTrialAt = async (at: Date): Promise<void> => {
      await stage.database.db.query(
        `INSERT INTO sandbox_trials VALUES ($1, $2)
         ON CONFLICT (project_id) DO UPDATE SET started_at = excluded.started_at`,
        [stage.phones.ground.projectId, at],
      );
    };
    const talked = async (seconds: number, ended = true): Promise<void> => {
      const answered_at = new Date(stage.clock.now().getTime() - seconds * 1000);
      await insertRows(stage.database.db, 'calls', [
        callRow(
          { ...stage.phones.ground, engineId: stage.sandbox.ground.engineId },
          {
            sandbox: true,
            kind: 'callback',
            status: ended ? 'ended' : 'answered',
            answered_at,
            ended_at: ended ? stage.clock.now() : null,
          },
        ),
      ]);
    };

    it('begins with the first request of a sandbox key, whatever the route', async () => {
      const start = () =>
        stage.database.db.query<{ project_id: string; started_at: Date }>(
          'SELECT * FROM sandbox_trials WHERE project_id = $1',
          [stage.phones.ground.projectId],
        );
      await stage.api.request('GET', '/v1/callbacks', { key: stage.liveKey });
      await stage.api.request('GET', '/v1/callbacks', { key: stage.sandboxKey });
      const [trial] = await eventually(async () => {
        const rows = await start();
        return rows.length > 0 && rows;
      }, 'the trial has begun');
      expect(trial?.project_id).to.equal(stage.phones.ground.projectId);
      const second = await stage.api.key({ projectId: stage.phones.ground.projectId, kind: 'sandbox' });
      await stage.placed(ANSWERS, second.key);
      await stage.placed(ANSWERS, second.key);
      expect(await start()).to.deep.equal([trial]);
    });

    it('ends after thirty days', async () => {
      const days = (count: number): Date => new Date(stage.clock.now().getTime() - count * 24 * HOUR_MS);
      await startTrialAt(days(29.9));
      expect(await code({ to: ANSWERS })).to.equal('202');
      await startTrialAt(days(30));
      const { status, body } = await stage.post({ to: ANSWERS }, { key: stage.sandboxKey });
      expect([status, body?.error_code]).to.deep.equal([403, 'SANDBOX_EXPIRED']);
      expect(body?.message).to.include(stage.clock.now().toISOString());
      expect((await stage.post({ to: '+966501234517' })).status, 'production continues').to.equal(202);
      expect((await stage.api.request('GET', '/v1/callbacks', { key: stage.sandboxKey })).status).to.equal(200);
    });

    it('has a hundred minutes, including those of live calls', async () => {
      await talked(99 * 60);
      expect(await code({ to: UNANSWERED })).to.equal('202');
      await talked(60, false);
      const { status, body } = await stage.post({ to: ANSWERS }, { key: stage.sandboxKey });
      expect([status, body?.error_code]).to.deep.equal([403, 'SANDBOX_MINUTES_EXCEEDED']);
      expect(body?.message).to.include('100');
      expect(await code({ to: '+966501234517' }), 'the destination comes first').to.match(/DESTINATION/);
    });

    it('limits the duration of a call to the remaining time', async () => {
      await talked(100 * 60 - 7);
      const { call_id } = await place('+966500000007');
      const call = await stage.sandbox.untilStatus(call_id, 'ended');
      expect(call.options.max_duration_seconds).to.equal(45 + 7);
      expect((await stage.read(call_id)).duration_seconds).to.be.at.most(45 + 7);
    });

    it('does not count real calls', async () => {
      await insertRows(stage.database.db, 'calls', [
        callRow(stage.phones.ground, {
          status: 'ended',
          answered_at: new Date(stage.clock.now().getTime() - 24 * HOUR_MS),
          ended_at: stage.clock.now(),
        }),
      ]);
      expect(await code({ to: ANSWERS })).to.equal('202');
    });
  });
});
