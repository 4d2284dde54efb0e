import { expect } from 'chai';
import { frontRouter } from '../../../api/routes/platform/front.js';
import type { Health } from '../../../api/routes/platform/health.js';
import { bootstrapOf, openDemo, writeBootstrap } from '../../../main/install/bootstrap.js';
import { commandsFor } from '../../../core/model/commands.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { systemClock } from '../../../core/ports/clock.js';
import type { Demo } from '../../../core/services/bootstrap/demo.js';
import { ask, testApi, type Answer } from '../../support/api.js';
import { barePlatform, type BarePlatform } from '../../support/platform/bare-platform.js';
import { eventually } from '../../support/eventually.js';
import { testDatabase } from '../../support/platform/database.js';

const STRANGER = { 'X-Forwarded-For': '203.0.113.9' };

describe('the front page', function () {
  this.timeout(120_000);
  let bare: BarePlatform;
  let demo: Demo;
  let engineId: string;

  before(async () => {
    bare = await barePlatform('api');
    const { platform, settings } = bare;
    const { stores } = platform;
    demo = (await openDemo(settings, stores.organizations, {
      accounts: {
        createOrganization: (row) => stores.organizations.create(row),
        createProject: (row) => stores.projects.create(row),
      },
      ...platform.management,
      cipher: new Cipher('a secret for tests, thirty-two characters'),
      clock: systemClock,
    }))!;
    const sip = { host: '127.0.0.1', port: 5070, transport: 'udp', tlsPort: null } as const;
    const where = { baseUrl: platform.api!.url, sip, engine: { kind: 'none', version: null } };
    await writeBootstrap(settings, bootstrapOf(demo, where, null));
    engineId = (await stores.engines.upsert('main', 'asterisk')).id;
  });
  after(() => bare.close());

  const get = (headers: Record<string, string> = {}, path = '/'): Promise<Answer> =>
    ask(bare.platform.api!.url, 'GET', path, { headers });

  it('shows the operator health, engines, phones, numbers and the next command, and no secret', async () => {
    const { status, headers, text } = await get({ 'Accept-Language': 'en' });
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('content-security-policy'))
      .to.include("default-src 'none'")
      .and.not.match(/unsafe|script/);
    expect(text)
      .to.include('<html lang="en" dir="ltr">')
      .and.match(/PostgreSQL<\/bdi>: up/)
      .and.match(/Asterisk<\/bdi>: unreachable/)
      .and.include(demo.lineNumber)
      .and.include('the echo service')
      .and.include('0/2')
      .and.match(/<pre dir="ltr" tabindex="0"><code>node -p .*bootstrap\.json.*sip\.agents/);
    for (const path of ['/docs', '/docs/guide', '/v1/health']) expect(text).to.include(`href="${path}"`);
    for (const secret of [demo.liveKey, demo.sandboxKey, ...demo.agents.map(({ password }) => password)])
      expect(text).not.to.include(secret);
  });

  it('suggests a call once a phone is registered', async () => {
    const { stores } = bare.platform;
    const [{ aor } = { aor: '' }] = await stores.db.query<{ aor: string }>(
      `SELECT aor FROM agents WHERE agent = '1002'`,
    );
    await stores.registrations.add(engineId, aor);
    const { number } = demo.agents[1]!;
    await eventually(async () => {
      const { text } = await get();
      return text.includes('1/2') && text.includes(`npx hatif call ${number} --say`);
    }, 'the page suggests a call to the registered phone');
  });

  it('exists in Arabic, for Arabic browsers and on request', async () => {
    for (const answer of [await get({ 'Accept-Language': 'ar-SA,ar;q=0.9,en;q=0.8' }), await get({}, '/?language=ar')])
      expect(answer.text)
        .to.include('<html lang="ar" dir="rtl">')
        .and.include('تطبيقات الهاتف')
        .and.include('خدمة اختبار الصوت')
        .and.include('href="?language=en"');
    expect((await get({ 'Accept-Language': 'ar' }, '/?language=en')).text).to.include('<html lang="en" dir="ltr">');
    expect((await get({ 'Accept-Language': 'fr' }, '/?language=fr')).text).to.include('<html lang="en" dir="ltr">');
  });

  it('shows strangers health and links alone', async () => {
    for (const headers of [STRANGER, { ...STRANGER, 'Accept-Language': 'ar' }]) {
      const { status, text } = await get(headers);
      expect(status).to.equal(200);
      expect(text).to.include('href="/docs/guide"').and.include('npx hatif --help');
      for (const private_ of ['+966', '1001', '1002', 'Demo', 'bootstrap', '/metrics', ':1</code>', '<pre'])
        expect(text, private_).not.to.include(private_);
    }
  });

  it('shows names of others as text', async () => {
    await bare.platform.stores.db.query(
      `UPDATE agents SET display_name = '<script>alert(1)</script>' WHERE agent = '1001'`,
    );
    await eventually(async () => (await get()).text.includes('&lt;script&gt;alert(1)'), 'the name is shown');
    expect((await get()).text).not.to.include('<script>alert');
  });

  it('answers other methods as an unknown route', async () => {
    const { status, body } = await ask(bare.platform.api!.url, 'POST', '/');
    expect([status, body?.error_code]).to.deep.equal([404, 'NOT_FOUND']);
  });

  it('says so, with 503, while the database is away', async () => {
    const database = await testDatabase();
    const health: Health = {
      status: 'down',
      service: 'hatif',
      version: '1',
      checks: { database: 'down', redis: 'up', engines: [], trunks: [], sip: 'off', turn: 'off', certificate: 'off' },
    };
    const router = frontRouter({
      health: () => Promise.resolve(health),
      overview: () => Promise.reject(new Error('away')),
      place: () => ({
        parts: [],
        sip: { host: '127.0.0.1', port: 5060 },
        bootstrapFile: null,
        hasWidgetDemo: false,
        servesMetrics: true,
      }),
      commands: commandsFor(undefined),
      publicUrl: () => 'http://127.0.0.1',
    });
    const api = await testApi({ db: database.db, routes: [], routers: [router] });
    const { status, text } = await api.request('GET', '/');
    expect(status).to.equal(503);
    expect(text)
      .to.include('the database does not respond')
      .and.match(/PostgreSQL<\/bdi>: down/);
    await api.close();
    await database.close();
  });
});
