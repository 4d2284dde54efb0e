import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { resolveTool } from '../../adapters/embedded/index.js';
import { openApiDocument } from '../../api/http/openapi.js';
import { createLogger } from '../../api/http/logging.js';
import { readSettings } from '../../config/settings.js';
import { Cipher } from '../../core/model/cipher.js';
import { startPlatform, type Platform } from '../../main/platform.js';
import { testApi, type TestApi } from '../support/api.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { testRedis, type TestRedis } from '../support/redis.js';
import { documentProblems, routeProblems } from '../support/route-contract.js';

describe('every route of the platform', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let dataDir: string;
  let platform: Platform;
  let api: TestApi;

  before(async function () {
    this.timeout(120_000);
    [database, redis] = await Promise.all([testDatabase(), testRedis()]);
    dataDir = await mkdtemp(join(tmpdir(), 'hatif-api-'));
    const settings = readSettings({ HATIF_ROLES: 'api', HATIF_DATA_DIR: dataDir, PORT: '0' });
    platform = await startPlatform({
      settings,
      parts: {
        databaseUrl: database.url,
        redisUrl: redis.url,
        // No engine role runs here: nothing is asked of an engine.
        ari: null,
        codecs: [],
        sip: { host: '127.0.0.1', port: 1 },
        engineSip: null,
        cel: null,
        speech: await resolveTool('espeak-ng', { cacheDir: process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache') }),
        embedded: { postgres: undefined, redis: undefined, asterisk: undefined, speech: undefined },
      },
      cipher: new Cipher('a secret for tests, thirty-two characters'),
      log: createLogger({ level: 'silent' }),
    });
    api = await testApi({ db: database.db, routes: platform.api!.routes });
  });
  after(async () => {
    await api.close();
    await platform.stop(0, true);
    await rm(dataDir, { recursive: true, force: true });
    await redis.close();
    await database.close();
  });

  it('keeps the contract about keys, scopes, kinds, flags and unknown fields', async function () {
    this.timeout(30_000);
    const { routes } = platform.api!;
    expect(routes).to.not.be.empty;
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    expect(api.faults).to.deep.equal([]);
  });

  it('is in the document, with every code it can answer', () => {
    const { routes } = platform.api!;
    const document = openApiDocument({ routes, version: '1', serverUrl: platform.api!.url });
    expect(documentProblems(document, routes)).to.deep.equal([]);
  });

  it('has its words in both languages', () => {
    for (const { method, path, summary, summaryAr } of platform.api!.routes) {
      expect(summary, `${method} ${path}`).to.not.be.empty;
      expect(summaryAr, `${method} ${path}`).to.match(/[\u0600-\u06ff]/);
    }
  });
});
