import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import type { Platform } from '../../../main/platform.js';
import { testApi, type TestApi } from '../../support/api.js';
import { barePlatform, type BarePlatform } from '../../support/platform/bare-platform.js';
import {
  exampleProblems,
  pageProblems,
  specificationProblems,
  tagProblems,
  type ApiDocument,
} from '../../support/judges/api-document.js';
import { directoryRouteProblems } from '../../support/judges/directory-contract.js';
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
    this.timeout(60_000);
    const { routes } = platform.api!;
    expect(routes).to.not.be.empty;
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    expect(await directoryRouteProblems(api, bare.database.db, routes)).to.deep.equal([]);
    expect(api.faults).to.deep.equal([]);
  });

  it('is in the OpenAPI document, with every error code it can return', () => {
    const { routes } = platform.api!;
    const document = openApiDocument({ routes, version: '1', serverUrl: platform.api!.url });
    expect(documentProblems(document, routes)).to.deep.equal([]);
  });

  it('makes an OpenAPI document that is valid, with examples, bounded pages and groups in both languages', async () => {
    const { routes, url } = platform.api!;
    const document = openApiDocument({ routes, version: '1', serverUrl: url }) as unknown as ApiDocument;
    expect(await specificationProblems(document)).to.deep.equal([]);
    expect(exampleProblems(document, routes)).to.deep.equal([]);
    expect(pageProblems(document)).to.deep.equal([]);
    expect(tagProblems(document)).to.deep.equal([]);
  });

  it('documents the answer to a method that a path does not have', () => {
    const document = openApiDocument({ routes: platform.api!.routes, version: '1', serverUrl: '' });
    const { responses } = document.components as { responses: Record<string, { headers: object; content: unknown }> };
    expect(responses.METHOD_NOT_ALLOWED?.headers).to.have.property('Allow');
    expect((document.info as { description: string }).description).to.contain('405 `NOT_FOUND`');
  });

  it('has a summary in both languages', () => {
    for (const { method, path, summary, summaryAr } of platform.api!.routes) {
      expect(summary, `${method} ${path}`).to.not.be.empty;
      expect(summaryAr, `${method} ${path}`).to.match(/[\u0600-\u06ff]/);
    }
  });
});
