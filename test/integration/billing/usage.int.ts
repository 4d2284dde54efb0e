import { expect } from 'chai';
import type { CallRow } from '../../../core/data/rows.js';
import { CALL_STATUSES } from '../../../core/model/call/call.js';
import { newId } from '../../../core/model/ids.js';
import { routeProblems } from '../../support/judges/route-contract.js';
import { callRow } from '../../support/rows/rows.js';
import { usageEach, type UsageStage } from '../../support/stages/billing/usage-stage.js';
import { usageRoutes } from '../../../api/routes/billing/usage.js';
import { ReadUsage } from '../../../core/services/usage/read.js';

const NONE = { total_calls: 0, calls_answered: 0, calls_missed: 0, total_minutes: 0, estimated_cost_sar: 0 };
const at = (text: string): Date => new Date(`2026-03-${text}+03:00`);

describe('GET /v1/usage', function () {
  this.timeout(30_000);
  let stage: UsageStage;
  usageEach((made) => (stage = made));

  /** A call that was answered at once and lasted this many seconds. */
  const talked = (seconds: number, changes: Partial<CallRow> = {}): Promise<CallRow> => {
    const created_at = changes.created_at ?? at('05T12:00:00');
    const ended_at = new Date(created_at.getTime() + seconds * 1000);
    return stage.call({ status: 'ended', created_at, answered_at: created_at, ended_at, ...changes });
  };

  describe('rule by rule', () => {
    it('1: counts every call in the total, completed calls as answered, and missed calls', async () => {
      for (const status of CALL_STATUSES) await stage.call({ status });
      await stage.call({ status: 'missed' });
      expect((await stage.read()).data).to.deep.equal({
        ...NONE,
        total_calls: 9,
        calls_answered: 2,
        calls_missed: 2,
        currency: 'SAR',
      });
    });

    it('1: tracks a call from its creation on', async () => {
      const call = await stage.call();
      const moments: (readonly [number, number])[] = [];
      const look = async (): Promise<void> => {
        const { total_calls, calls_answered } = (await stage.read()).data;
        moments.push([total_calls, calls_answered]);
      };
      await look();
      await stage.write({ ...call, status: 'ringing', last_sequence: 2 });
      await look();
      await stage.write({ ...call, status: 'answered', last_sequence: 3 });
      await look();
      await stage.write({ ...call, status: 'ended', last_sequence: 4 });
      await look();
      await stage.usage.fold(100);
      await look();
      expect(moments).to.deep.equal([
        [1, 0],
        [1, 0],
        [1, 1],
        [1, 1],
        [1, 1],
      ]);
    });

    it('2: includes both ends, by creation time', async () => {
      for (const time of ['05T11:59:59.999', '05T12:00:00.000', '05T12:30:00.000', '05T12:30:00.001']) {
        await stage.call({ status: 'missed', created_at: at(time), ended_at: at('09T00:00:00') });
      }
      const total = async (from?: Date, to?: Date): Promise<number> =>
        (await stage.read({ from, to })).data.total_calls;
      expect(await total(at('05T12:00:00'), at('05T12:30:00'))).to.equal(2);
      expect(await total(at('05T12:30:00'), at('05T12:30:00'))).to.equal(1);
      expect(await total(at('05T12:30:00'))).to.equal(2);
      expect(await total(undefined, at('05T12:00:00'))).to.equal(2);
      expect(await total()).to.equal(4);
      expect(await total(at('06T00:00:00'))).to.equal(0);
    });

    it('2: returns the period, with null for an open side, and null if both sides are open', async () => {
      const [from, to] = [at('05T12:00:00'), at('05T13:00:00')];
      const [fromText, toText] = ['2026-03-05T09:00:00.000Z', '2026-03-05T10:00:00.000Z'];
      expect((await stage.read({ from, to })).period).to.deep.equal({ from: fromText, to: toText });
      expect((await stage.read({ from })).period).to.deep.equal({ from: fromText, to: null });
      expect((await stage.read({ to })).period).to.deep.equal({ from: null, to: toText });
      expect(await stage.read()).to.deep.equal({ data: { ...NONE, currency: 'SAR' }, period: null });
    });

    it('3: filters by queue for callbacks only', async () => {
      const queue_id = newId();
      await talked(60, { queue_id, kind: 'callback' });
      await talked(60, { queue_id, kind: 'inbound', direction: 'inbound' });
      await talked(60, { queue_id, kind: 'web' });
      await talked(60, { kind: 'callback' });
      const total = async (queueId: string): Promise<number> => (await stage.read({ queueId })).data.total_calls;
      expect(await total(queue_id)).to.equal(1);
      expect(await total(queue_id.toUpperCase())).to.equal(1);
      expect(await total(newId())).to.equal(0);
      expect(await total('support')).to.equal(0);
      const { groups } = await stage.read({ groupBy: 'queue', queueId: 'support' });
      expect(groups).to.deep.equal([]);
    });

    it('4: prices answered minutes, and rounds the sum', async () => {
      const cost = async (): Promise<number> => (await stage.read()).data.estimated_cost_sar;
      await talked(90);
      expect(await cost(), '1.5 minutes at 0.12').to.equal(0.18);
      await stage.call({ status: 'answered', answered_at: at('05T12:00:00') });
      expect(await cost(), 'a live call').to.equal(0.18);
      await stage.call({ status: 'missed' });
      await talked(600, { sandbox: true });
      expect(await cost(), 'a sandbox key').to.equal(0.18);
      await talked(600, { kind: 'web', direction: 'inbound' });
      expect(await cost(), 'a kind without a price').to.equal(0.18);
      // 0.0125 each: three of them cost 0.0375.
      for (let index = 0; index < 3; index++) await talked(10, { kind: 'callback' });
      expect(await cost()).to.equal(0.22);
      expect((await stage.read()).data).to.include({ total_calls: 8, calls_answered: 7, total_minutes: 22 });
      expect((await stage.read({}, stage.sandbox)).data).to.include({ total_calls: 1, estimated_cost_sar: 0 });
    });

    it('4: costs nothing in a sandbox account', async () => {
      await talked(600, { project_id: stage.trial.projectId });
      const data = { ...NONE, total_calls: 1, calls_answered: 1, total_minutes: 10, currency: 'SAR' };
      expect((await stage.read({}, stage.trial)).data).to.deep.equal(data);
      expect((await stage.read()).data.total_calls).to.equal(0);
    });

    it('5: groups by days and hours in Riyadh time, oldest first, without empty ones', async () => {
      await stage.call({ status: 'missed', created_at: at('07T00:00:00') });
      await stage.call({ status: 'missed', created_at: at('05T23:59:59.999') });
      await stage.call({ status: 'missed', created_at: at('05T00:30:00') });
      const [from, to] = [at('05T00:10:00'), at('07T23:00:00')];
      const keys = async (groupBy: 'day' | 'hour'): Promise<[string, number][]> =>
        (await stage.read({ from, to, groupBy })).groups!.map((group) => [group.key, group.total_calls]);
      for (const folded of [false, true]) {
        if (folded) await stage.usage.fold(100);
        expect(await keys('day')).to.deep.equal([
          ['2026-03-05T00:00:00+03:00', 2],
          ['2026-03-07T00:00:00+03:00', 1],
        ]);
        expect(await keys('hour')).to.deep.equal([
          ['2026-03-05T00:00:00+03:00', 1],
          ['2026-03-05T23:00:00+03:00', 1],
          ['2026-03-07T00:00:00+03:00', 1],
        ]);
      }
    });

    it('6: groups by raw status, without a period', async () => {
      for (const status of ['timeout', 'missed', 'ringing', 'missed'] as const) await stage.call({ status });
      const { groups, data } = await stage.read({ groupBy: 'status' });
      expect(groups).to.deep.equal([
        { key: 'ringing', ...NONE, total_calls: 1 },
        { key: 'missed', ...NONE, total_calls: 2, calls_missed: 2 },
        { key: 'timeout', ...NONE, total_calls: 1 },
      ]);
      expect(data.total_calls).to.equal(4);
    });

    it('7 and 8: groups by queue, omitting calls without one, while the totals include all', async () => {
      const queues = [newId(), newId()].sort();
      for (const queue_id of [...queues, queues[1]!, null]) await talked(60, { queue_id, kind: 'callback' });
      await talked(60);
      const { groups, data } = await stage.read({ groupBy: 'queue' });
      expect(groups!.map(({ key, total_calls }) => [key, total_calls])).to.deep.equal([
        [queues[0], 1],
        [queues[1], 2],
      ]);
      expect(groups![1]).to.include({ calls_answered: 2, calls_missed: 0, total_minutes: 2, estimated_cost_sar: 0.15 });
      expect(data).to.include({ total_calls: 5, total_minutes: 5, estimated_cost_sar: 0.42 });
    });
  });

  describe('validation', () => {
    const details = async (query: string): Promise<[string, string][]> => {
      const { status, body } = await stage.get(query);
      expect([status, body?.error_code], query).to.deep.equal([400, 'VALIDATION_ERROR']);
      for (const detail of body?.details as { message_ar: string }[])
        expect(detail.message_ar).to.match(/[\u0600-\u06ff]/);
      return (body?.details as { path: string; message: string }[]).map(({ path, message }) => [path, message]);
    };
    const NEEDED = 'is required with group_by=day and group_by=hour';

    it('names each invalid field and the reason, in both languages', async () => {
      for (const [query, ...expected] of [
        ['?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', ['from', 'must not be later than to']],
        ['?group_by=day', ['from', NEEDED], ['to', NEEDED]],
        ['?group_by=hour&from=2026-03-02T00:00:00Z', ['to', NEEDED]],
        ['?group_by=day&to=2026-03-02T00:00:00Z', ['from', NEEDED]],
        ['?group_by=month', ['group_by', 'must be one of: day, hour, status, queue']],
        ['?group_by=', ['group_by', 'must be one of: day, hour, status, queue']],
        [
          '?group_by=hour&from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00.001Z',
          ['to', 'must be at most 31 days after from with group_by=hour'],
        ],
        [
          '?group_by=day&from=2026-03-01T00:00:00Z&to=2027-03-02T00:00:00.001Z',
          ['to', 'must be at most 366 days after from with group_by=day'],
        ],
        [`?queue_id=${'x'.repeat(256)}`, ['queue_id', 'must have at most 255 characters']],
        ['?project_id=1', ['project_id', 'is not a known field']],
      ] as const) {
        expect(await details(query), query).to.deep.equal(expected);
      }
      for (const text of ['2026-03-01T00:00:00', '2026-03-01', 'yesterday', '2026-02-30T00:00:00Z', '1772312400']) {
        const paths = (await details(`?from=${text}&to=${text}`)).map(([path]) => path);
        expect(paths, text).to.deep.equal(['from', 'to']);
      }
      expect((await stage.get('?from=2026-03-01T00:00:00Z&from=2026-03-01T00:00:00Z')).status).to.equal(400);
    });

    it('accepts the longest periods to the millisecond, and unusual times', async () => {
      for (const query of [
        '?group_by=hour&from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z',
        '?group_by=day&from=2026-03-01T00:00:00Z&to=2027-03-02T00:00:00Z',
        '?from=2026-03-01T00:00:00+03:00&to=2026-03-01T00:00:00+03:00',
        '?from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59.999Z',
        '?from=9999-12-31T23:59:59Z',
        '?queue_id=',
        '?group_by=status&from=2000-01-01T00:00:00Z',
        "?queue_id=';DROP TABLE calls;--",
      ]) {
        const { status, text } = await stage.get(query);
        expect(status, `${query} ${text}`).to.equal(200);
      }
    });

    it('conforms to the OpenAPI contract on every route', async () => {
      const routes = usageRoutes({ read: new ReadUsage(stage.usage) });
      expect(await routeProblems(stage.api, routes)).to.deep.equal([]);
    });
  });

  describe('visibility', () => {
    it('shows a project its own calls, and a sandbox key those of sandbox keys', async () => {
      const other = await stage.api.key();
      await stage.call({ status: 'missed' });
      await stage.call({ status: 'missed', sandbox: true });
      const total = async (key: string): Promise<unknown> =>
        ((await stage.get('', key)).body?.data as { total_calls: number }).total_calls;
      expect(await total(stage.live.key)).to.equal(2);
      expect(await total(stage.sandbox.key)).to.equal(1);
      expect(await total(other.key)).to.equal(0);
      // Another project of the same organization.
      const { organizationId, engineId } = stage.ground;
      const sibling = callRow({ organizationId, engineId, projectId: stage.trial.projectId }, { status: 'missed' });
      await stage.write(sibling);
      expect(await total(stage.live.key)).to.equal(2);
    });

    it('requires its scope', async () => {
      const { key } = await stage.api.key({
        projectId: stage.ground.projectId,
        scopes: ['calls:read', 'billing:read'],
      });
      const { status, body } = await stage.get('', key);
      expect([status, body?.error_code]).to.deep.equal([403, 'INSUFFICIENT_PERMISSIONS']);
      const reader = await stage.api.key({ projectId: stage.ground.projectId, scopes: ['usage:read'] });
      expect((await stage.get('', reader.key)).status).to.equal(200);
    });
  });
});
