import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import type { Platform } from '../../../main/platform.js';
import { testApi, type TestApi } from '../../support/api.js';
import { barePlatform, type BarePlatform } from '../../support/platform/bare-platform.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';

describe('every route of the platform', () => {
  let bare: BarePlatform;
  let platform: Platform;
  let api: TestApi;

  before(async function () {
    this.timeout(120_000);
    bare = await barePlatform('api');
    ({ platform } = bare);
    api = await testApi({ db: bare.database.db, routes: platform.api!.routes });
  });
  after(async () => {
    await api.close();
    await bare.close();
  });

  it('conforms to the contract for keys, scopes, kinds, flags and unknown fields', async function () {
    this.timeout(30_000);
    const { routes } = platform.api!;
    expect(routes).to.not.be.empty;
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    expect(api.faults).to.deep.equal([]);
  });

  it('is in the OpenAPI document, with every error code it can return', () => {
    const { routes } = platform.api!;
    const document = openApiDocument({ routes, version: '1', serverUrl: platform.api!.url });
    expect(documentProblems(document, routes)).to.deep.equal([]);
  });

  it('has a summary in both languages', () => {
    for (const { method, path, summary, summaryAr } of platform.api!.routes) {
      expect(summary, `${method} ${path}`).to.not.be.empty;
      expect(summaryAr, `${method} ${path}`).to.match(/[\u0600-\u06ff]/);
    }
  });
});
