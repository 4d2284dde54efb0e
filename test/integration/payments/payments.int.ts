import { expect } from 'chai';
import { paymentRoutes } from '../../../api/routes/billing/payments.js';
import { newId } from '../../../core/model/ids.js';
import { testApi } from '../../support/api.js';
import { codeOf, paymentApiEach, type PaymentApiStage } from '../../support/stages/billing/payment-api-stage.js';
import { paymentStage } from '../../support/stages/billing/payment-stage.js';
import { routeProblems } from '../../support/judges/route-contract.js';
import { insertProject } from '../../support/rows/rows.js';

describe('Payments over the API', function () {
  this.timeout(30_000);
  let stage: PaymentApiStage;
  paymentApiEach((made) => (stage = made));

  it('conforms to the OpenAPI contract on every route', async () => {
    expect(await routeProblems(stage.api, paymentRoutes(stage))).to.deep.equal([]);
  });

  it('returns the same payment for the same Idempotency-Key', async () => {
    const json = { amount_sar: 5, method: 'gateway' };
    const headers = { 'idempotency-key': newId() };
    const { api, key } = stage;
    const first = await api.request('POST', '/v1/payments', { key, json, headers });
    const again = await api.request('POST', '/v1/payments', { key, json, headers });
    expect(again.body).to.deep.equal(first.body);
    expect(stage.peer.payments.size).to.equal(1);
    expect(stage.peer.askedOf(String(first.body?.id))).to.deep.equal(['PUT']);
  });

  it('lists the project’s payments, newest first', async () => {
    const first = await stage.begin('bank_transfer', 1);
    const second = await stage.begin('bank_transfer', 2);
    await stage.post(`/${first.id}/cancel`);
    const page = (await stage.get('?limit=1')).body as unknown as { data: { id: string }[]; next_cursor: string };
    const rest = (await stage.get(`?limit=1&cursor=${page.next_cursor}`)).body;
    expect(page.data.map(({ id }) => id)).to.deep.equal([second.id]);
    expect((rest?.data as { id: string }[]).map(({ id }) => id)).to.deep.equal([first.id]);
    const pending = (await stage.get('?status=pending')).body?.data as { id: string }[];
    expect(pending.map(({ id }) => id)).to.deep.equal([second.id]);
    expect(codeOf(await stage.get('?status=gone'))).to.deep.equal([400, 'VALIDATION_ERROR']);
  });

  for (const [what, json] of [
    ['an amount of zero', { amount_sar: 0, method: 'gateway' }],
    ['a part of a halala', { amount_sar: 1.001, method: 'gateway' }],
    ['an amount above the limit', { amount_sar: 1_000_000.01, method: 'gateway' }],
    ['an amount that is a string', { amount_sar: '5', method: 'gateway' }],
    ['an unknown payment method', { amount_sar: 5, method: 'cash' }],
    ['a return URL that is not a page', { amount_sar: 5, method: 'gateway', return_url: 'javascript:alert(1)' }],
    ['a return URL without TLS', { amount_sar: 5, method: 'gateway', return_url: 'http://shop.example' }],
  ] as const) {
    it(`rejects ${what}`, async () => {
      expect(codeOf(await stage.post('', json))).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(stage.peer.payments.size).to.equal(0);
    });
  }

  it('hides payments from other organizations and projects, and requires a key with the scope', async () => {
    const { id } = await stage.begin('bank_transfer');
    const sibling = await insertProject(stage.stores.db, stage.organizationId);
    for (const { key: stranger } of [await stage.api.key(), await stage.api.key({ projectId: sibling })]) {
      for (const answer of [await stage.get(`/${id}`, stranger), await stage.post(`/${id}/cancel`, {}, stranger)]) {
        expect(codeOf(answer)).to.deep.equal([404, 'PAYMENT_NOT_FOUND']);
      }
      expect((await stage.get('', stranger)).body?.data).to.deep.equal([]);
    }
    expect(codeOf(await stage.get('/none'))).to.deep.equal([404, 'PAYMENT_NOT_FOUND']);
    const reader = await stage.api.key({ projectId: stage.projectId, scopes: ['billing:read'] });
    expect(codeOf(await stage.post(`/${id}/cancel`, {}, reader.key))).to.deep.equal([403, 'INSUFFICIENT_PERMISSIONS']);
    expect(await stage.statusOf(id)).to.equal('pending');
  });

  it('accepts no payments or notices if the operator has configured no method', async () => {
    const nothing = { PAYMENT_IBAN: '', PAYMENT_ACCOUNT_NAME: '', PAYMENT_GATEWAY_URL: '', PAYMENT_GATEWAY_SECRET: '' };
    const bare = await paymentStage(stage.database.url, nothing);
    const bareApi = await testApi({ db: bare.stores.db, routes: paymentRoutes(bare) });
    for (const method of ['bank_transfer', 'gateway']) {
      const answer = await bareApi.request('POST', '/v1/payments', { key: stage.key, json: { amount_sar: 5, method } });
      expect(codeOf(answer)).to.deep.equal([400, 'VALIDATION_ERROR']);
    }
    const { id } = await stage.begin();
    stage.peer.pay(id);
    expect(codeOf(await stage.peer.notify(bareApi.url, id))).to.deep.equal([401, 'WEBHOOK_UNAUTHORIZED']);
    await bareApi.close();
    await bare.end();
  });
});
