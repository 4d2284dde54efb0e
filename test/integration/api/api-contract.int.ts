import { expect } from 'chai';
import { healthRoute } from '../../../api/routes/platform/health.js';
import { openApiRoute } from '../../../api/routes/platform/openapi.js';
import { openApiDocument } from '../../../api/http/openapi.js';
import type { Route } from '../../../api/http/route.js';
import { testApi, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { Gate, sampleRoutes } from '../../support/sample-routes.js';

describe('every route', () => {
  let database: TestDatabase;
  let api: TestApi;
  const publicUrl = { value: '' };
  const up = () => Promise.resolve('up' as const);
  const none = () => Promise.resolve([]);
  const checks = { database: up, redis: up, sip: up, turn: up, certificate: up, engines: none, trunks: none };
  const routes: Route[] = [
    ...sampleRoutes(new Gate()),
    healthRoute({ version: '1', checks }),
    openApiRoute({ routes: () => routes, version: '1', publicUrl: () => publicUrl.value }),
  ];

  before(async function () {
    this.timeout(60_000);
    database = await testDatabase();
    api = await testApi({ db: database.db, routes, publicUrl });
  });
  after(async () => {
    await api.close();
    await database.close();
  });

  it('handles keys, scopes, kinds, flags and unknown fields as its definition specifies', async () => {
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    expect(api.faults).to.deep.equal([]);
  });

  it('is described in the OpenAPI document with every error code', async () => {
    const answer = await api.request('GET', '/v1/openapi.json');
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(documentProblems(answer.body, routes)).to.deep.equal([]);
    expect(answer.body?.servers).to.deep.equal([{ url: api.url }]);
  });

  it('is reported if the document omits parts of it', () => {
    const document = structuredClone(openApiDocument({ routes, version: '1', serverUrl: '' })) as {
      paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
      components: { schemas: Record<string, unknown> };
    };
    delete document.paths['/v1/orders']!.post!.responses['403'];
    delete document.components.schemas.Order;
    expect(documentProblems(document, routes)).to.include.members([
      'POST /v1/orders: the code INSUFFICIENT_PERMISSIONS is not described',
      '#/components/schemas/Order leads nowhere',
    ]);
  });

  it('distinguishes wrong methods from wrong paths, with and without a key', async () => {
    const { key } = await api.key();
    for (const options of [{}, { key }]) {
      const method = await api.request('PATCH', '/v1/orders', options);
      expect([method.status, method.body?.error_code]).to.deep.equal([405, 'NOT_FOUND']);
      expect(method.headers.get('allow')).to.equal('POST, GET, HEAD');
      expect(method.body?.message).to.equal('Not found: PATCH /v1/orders (this path has POST, GET, HEAD).');
      const path = await api.request('GET', '/v1/nothing', options);
      expect([path.status, path.body?.error_code]).to.deep.equal([404, 'NOT_FOUND']);
      expect(path.headers.has('allow')).to.equal(false);
      expect(path.body?.message).to.equal('Not found: GET /v1/nothing.');
    }
  });

  it('answers HEAD as GET without the body', async () => {
    const { key } = await api.key();
    const answer = await api.request('HEAD', '/v1/orders', { key });
    expect(answer.status).to.equal(200);
    expect(answer.text).to.equal('');
    expect(Number(answer.headers.get('content-length'))).to.be.above(10);
  });

  it('announces its deprecation and its sunset', async () => {
    const { key } = await api.key();
    const answer = await api.request('GET', '/v1/orders/0193f6e0-9d5c-7cc3-8f0e-0d8f5b7a4c11', { key });
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('deprecation')).to.equal('@1767225600');
    expect(answer.headers.get('sunset')).to.equal('Fri, 01 Jan 2027 00:00:00 GMT');
  });
});
