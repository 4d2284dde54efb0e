import { expect } from 'chai';
import { billingRoutes } from '../../../api/routes/billing/billing.js';
import { newId } from '../../../core/model/ids.js';
import { riyadhDay } from '../../../core/model/riyadh.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { billingEach, RATE, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { routeProblems } from '../../support/judges/route-contract.js';
import { insertProject } from '../../support/rows/rows.js';

describe('Billing over the API', function () {
  this.timeout(30_000);
  let stage: BillingStage;
  let api: TestApi;
  let key: string;

  billingEach((made) => (stage = made));
  beforeEach(async () => {
    api = await testApi({ db: stage.db, routes: billingRoutes(stage.billing) });
    ({ key } = await api.key({ projectId: stage.ground.projectId }));
  });
  afterEach(() => api.close());

  const get = (path: string): Promise<Answer> => api.request('GET', `/v1/${path}`, { key });
  const send = (method: 'POST' | 'PUT', path: string, json: object): Promise<Answer> =>
    api.request(method, `/v1/${path}`, { key, json });

  it('conforms to the OpenAPI contract on every route', async () => {
    expect(await routeProblems(api, billingRoutes(stage.billing))).to.deep.equal([]);
  });

  it('shows a new account', async () => {
    const { body, status } = await get('billing');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      billing: 'postpaid',
      rate_plan: body?.rate_plan,
      pool_balance_sar: 0,
      balance_sar: 0,
      held_sar: 0,
      spend_caps: { day_sar: null, month_sar: null },
      spent_sar: { day: 0, month: 0 },
      currency: 'SAR',
    });
  });

  it('shows the cost of calls, and lists the calls', async () => {
    const name = await stage.plan();
    const first = await stage.finished([{ seconds: 30 }]);
    const second = await stage.finished([{ seconds: 61 }]);
    await stage.rating.rate();
    expect((await get('billing')).body).to.deep.include({
      rate_plan: name,
      balance_sar: -0.36,
      spent_sar: { day: 0.36, month: 0.36 },
    });
    const { body } = await get('billing/ledger?limit=1');
    const next = await get(`billing/ledger?limit=1&cursor=${String(body?.next_cursor)}`);
    const lines = [body, next.body].flatMap((page) => (page as unknown as { data: Record<string, unknown>[] }).data);
    expect(lines.map(({ kind, reference, amount_sar }) => [kind, reference, amount_sar])).to.have.deep.members([
      ['call', first.id, -0.12],
      ['call', second.id, -0.24],
    ]);
    expect(next.body?.next_cursor).to.equal(null);
  });

  it('shows the rates currently in force', async () => {
    const name = await stage.plan([{ ...RATE, prefix: '966', perMinute: 75_500 }]);
    await stage.planService.add(name, [RATE], new Date(Date.now() + 3_600_000));
    const { body } = await get('billing/rate-plan');
    expect(body).to.deep.include({ rate_plan: name, version: 1, currency: 'SAR' });
    expect(body?.rates).to.deep.equal([
      {
        direction: 'outbound',
        kind: null,
        prefix: '966',
        per_minute_sar: 0.0755,
        increment_seconds: 60,
        minimum_seconds: 0,
      },
    ]);
  });

  it('reports that there are no rates before any exist', async () => {
    const name = `later-${newId()}`;
    await stage.planService.add(name, [RATE], new Date(Date.now() + 3_600_000));
    await stage.planService.assign(stage.ground.organizationId, name);
    const { status, body } = await get('billing/rate-plan');
    expect([status, body?.error_code]).to.deep.equal([404, 'RATE_PLAN_NOT_FOUND']);
    expect(body?.message).to.contain(name);
  });

  describe('allocations', () => {
    const allocate = (amount_sar: unknown, project_id = stage.ground.projectId): Promise<Answer> =>
      send('POST', 'billing/allocations', { project_id, amount_sar });

    it('move money from the pool to a project and back', async () => {
      await stage.balances.topUp(stage.ground.organizationId, 50_000_000, newId(), null);
      expect((await allocate(20.25)).body).to.include({ pool_balance_sar: 29.75, balance_sar: 20.25 });
      expect((await allocate(-0.25)).body).to.include({ pool_balance_sar: 30, balance_sar: 20 });
    });

    it('are rejected if the balance is insufficient', async () => {
      await stage.balances.topUp(stage.ground.organizationId, 10_000_000, newId(), null);
      const more = await allocate(10.01);
      expect([more.status, more.body?.error_code]).to.deep.equal([402, 'INSUFFICIENT_POOL_BALANCE']);
      const back = await allocate(-0.01);
      expect([back.status, back.body?.error_code]).to.deep.equal([402, 'INSUFFICIENT_PROJECT_BALANCE']);
    });

    it('accept only the project of the key, whichever way the money would go', async () => {
      const { organizationId } = stage.ground;
      const sibling = await insertProject(stage.db, organizationId);
      await stage.balances.topUp(organizationId, 50_000_000, newId(), null);
      await stage.balances.allocate(organizationId, sibling, 20_000_000);
      for (const id of [newId(), (await api.owner()).projectId, sibling]) {
        for (const amount of [1, -1]) {
          const answer = await allocate(amount, id);
          expect([answer.status, answer.body?.error_code]).to.deep.equal([404, 'PROJECT_NOT_FOUND_FOR_ALLOCATION']);
        }
      }
      expect(await stage.balances.project(organizationId, sibling)).to.equal(20_000_000);
      expect(await stage.balances.pool(organizationId)).to.equal(30_000_000);
    });

    for (const amount of [0, 0.001, '5', 1e300, null]) {
      it(`reject the amount ${JSON.stringify(amount)}`, async () => {
        const { status, body } = await allocate(amount);
        expect([status, body?.error_code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      });
    }
  });

  it('sets and removes caps', async () => {
    const set = await send('PUT', 'billing/spend-caps', { day_sar: 10.5, month_sar: null });
    expect(set.body?.spend_caps).to.deep.equal({ day_sar: 10.5, month_sar: null });
    await send('PUT', 'billing/spend-caps', { day_sar: null, month_sar: 0 });
    expect((await get('billing')).body?.spend_caps).to.deep.equal({ day_sar: null, month_sar: 0 });
    expect((await send('PUT', 'billing/spend-caps', { day_sar: -1, month_sar: null })).status).to.equal(400);
  });

  describe('usage events', () => {
    const event = (changes: object = {}): object => ({
      event_id: `sms-${newId()}`,
      type: 'sms.segment',
      quantity: 3,
      unit_price_sar: 0.0333,
      ...changes,
    });

    it('are charged to the balance, and count towards the caps', async () => {
      const reported = event();
      const { status, body } = await send('POST', 'usage/events', reported);
      expect(status).to.equal(201);
      expect(body).to.deep.include({ ...reported, amount_sar: 0.0999 });
      expect((await get('billing')).body).to.deep.include({ balance_sar: -0.1, spent_sar: { day: 0.1, month: 0.1 } });
    });

    it('are counted once, however often and concurrently they are reported', async () => {
      const reported = event();
      const answers = await Promise.all(Array.from({ length: 6 }, () => send('POST', 'usage/events', reported)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409, 409, 409]);
      const refused = answers.find(({ status }) => status === 409);
      expect(refused?.body?.error_code).to.equal('DUPLICATE_USAGE_EVENT');
      expect((await stage.ratings.spent(stage.ground.projectId, riyadhDay(new Date()))).of_day).to.equal(99_900);
    });

    for (const [what, changes] of [
      ['with a future time', { occurred_at: '2099-01-01T00:00:00Z' }],
      ['with a quantity of zero', { quantity: 0 }],
      ['with an amount that is too large', { quantity: 1_000_000_000, unit_price_sar: 9_999_999_999 }],
      ['of more than a million riyals', { quantity: 80_001, unit_price_sar: 12.5 }],
      ['without an id', { event_id: '' }],
    ] as const) {
      it(`are rejected ${what}, and nothing is counted`, async () => {
        const { status, body } = await send('POST', 'usage/events', event(changes));
        expect([status, body?.error_code]).to.deep.equal([400, 'VALIDATION_ERROR']);
        expect((await get('billing')).body).to.include({ balance_sar: 0 });
      });
    }
  });

  it('requires a live key with the scope to change anything', async () => {
    const sandbox = await api.key({ projectId: stage.ground.projectId, kind: 'sandbox' });
    const reader = await api.key({ projectId: stage.ground.projectId, scopes: ['billing:read'] });
    const json = { project_id: stage.ground.projectId, amount_sar: 1 };
    const refused = await api.request('POST', '/v1/billing/allocations', { key: sandbox.key, json });
    expect([refused.status, refused.body?.error_code]).to.deep.equal([403, 'SANDBOX_KEY_NOT_ALLOWED']);
    const write = await api.request('POST', '/v1/billing/allocations', { key: reader.key, json });
    expect([write.status, write.body?.error_code]).to.deep.equal([403, 'INSUFFICIENT_PERMISSIONS']);
  });
});
