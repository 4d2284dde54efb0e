import { expect } from 'chai';
import { PAGE, testApi, type Answer, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { Gate, sampleRoutes } from '../../support/sample-routes.js';
import { outcome } from '../../support/judges/outcome.js';

const LISTED = 'https://console.example';

describe('web pages that use API keys', () => {
  let database: TestDatabase;
  let api: TestApi;
  let key: string;
  const publicUrl = { value: '' };

  before(async function () {
    this.timeout(60_000);
    database = await testDatabase();
    const allowedOrigins = [LISTED, 'https://*.staff.example'];
    api = await testApi({
      db: database.db,
      routes: sampleRoutes(new Gate()),
      allowedOrigins,
      trustProxy: ['loopback'],
      publicUrl,
    });
    ({ key } = await api.key());
  });
  after(async () => {
    await api.close();
    await database.close();
  });

  const get = (origin: string, as = key): Promise<Answer> =>
    api.request('GET', '/v1/orders', { key: as, headers: { origin } });
  const preflight = (origin: string, method = 'POST', path = '/v1/orders'): Promise<Answer> =>
    api.request('OPTIONS', path, { headers: { origin, 'access-control-request-method': method } });
  /** Does this while the platform has another public address. */
  const publicly = async (url: string, work: () => Promise<void>): Promise<void> => {
    const before = publicUrl.value;
    publicUrl.value = url;
    await work().finally(() => (publicUrl.value = before));
  };
  const shared = ({ headers }: Answer): string | null => headers.get('access-control-allow-origin');

  it('are rejected if they are not listed, whatever their key', async () => {
    for (const origin of [PAGE, 'http://console.example', 'https://console.example.evil.example', 'null']) {
      for (const answer of [await get(origin), await get(origin, 'sk_live_wrong'), await preflight(origin)]) {
        expect(outcome(answer), origin).to.equal('403 ORIGIN_NOT_ALLOWED');
        expect(answer.body?.message).to.contain(origin);
        expect(shared(answer)).to.equal(null);
      }
    }
  });

  it('are served if they are listed, and may read the answer', async () => {
    for (const origin of [LISTED, 'https://a.staff.example']) {
      const answer = await get(origin);
      expect([answer.status, shared(answer), answer.headers.get('vary')]).to.deep.equal([200, origin, 'Origin']);
      const asked = await preflight(origin);
      expect([asked.status, shared(asked), asked.text]).to.deep.equal([204, origin, '']);
      expect(asked.headers.get('access-control-allow-headers')).to.match(/^Authorization, Content-Type,/);
      expect(asked.headers.get('access-control-allow-methods')).to.contain('POST');
      expect(asked.headers.get('access-control-allow-credentials')).to.equal(null);
    }
    expect(outcome(await get(LISTED, 'sk_live_wrong'))).to.equal('401 INVALID_API_KEY');
  });

  it('of the platform itself are served', async () => {
    const answer = await get(api.url);
    expect([answer.status, shared(answer)]).to.deep.equal([200, null]);
  });

  it('of its host that came over plain HTTP are rejected over HTTPS', async () => {
    const host = api.url.replace('http://', '');
    const over = async (proto: string, origin: string): Promise<string> =>
      outcome(await api.request('GET', '/v1/orders', { key, headers: { origin, 'x-forwarded-proto': proto } }));
    await publicly('https://voice.example', async () => {
      expect(await over('https', `http://${host}`)).to.equal('403 ORIGIN_NOT_ALLOWED');
      expect(await over('https', `https://${host}`)).to.match(/^200/);
      expect(await over('https', 'https://voice.example')).to.match(/^200/);
      expect(await over('http', `http://${host}`)).to.match(/^200/);
    });
  });

  it('get a preflight answer only for known methods and paths', async () => {
    const asked = await api.request('OPTIONS', '/v1/orders', { headers: { origin: LISTED } });
    expect([outcome(asked), asked.headers.get('allow')?.includes('POST')]).to.deep.equal(['405 NOT_FOUND', true]);
    expect(outcome(await preflight(LISTED, 'PURGE'))).to.equal('405 NOT_FOUND');
    expect(outcome(await preflight(LISTED, 'POST', '/v1/nowhere'))).to.equal('404 NOT_FOUND');
  });
});
