import { expect } from 'chai';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Registry } from 'prom-client';
import { Lifecycle } from '../../../api/http/lifecycle.js';
import { docsRouter } from '../../../api/routes/platform/docs.js';
import {
  healthRoute,
  probeRouter,
  type EngineHealth,
  type TrunkHealth,
  type PartStatus,
} from '../../../api/routes/platform/health.js';
import { ERROR_CODES } from '../../../core/model/errors/index.js';
import { Database } from '../../../core/data/database.js';
import { testApi, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { envelopeProblems } from '../../support/judges/route-contract.js';
import { Gate, sampleRoutes } from '../../support/sample-routes.js';

describe('the server', () => {
  let database: TestDatabase;

  before(async function () {
    this.timeout(60_000);
    database = await testDatabase();
  });
  after(async () => {
    await database.close();
  });

  const text = async (socket: Socket): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  };

  describe('with misbehaving clients', () => {
    let api: TestApi;
    before(async () => {
      const timeouts = { headersMs: 200, requestMs: 400 };
      api = await testApi({ db: database.db, routes: sampleRoutes(new Gate()), timeouts });
    });
    after(() => api.close());

    const say = (words: string): Promise<string> => {
      const socket = connect(api.port, '127.0.0.1');
      socket.write(words);
      return text(socket);
    };

    it('times out on incomplete headers', async () => {
      expect(await say('GET /v1/orders HTTP/1.1\r\nHost: x\r\nX-Slow: ')).to.match(/^HTTP\/1\.1 408 /);
    });

    it('times out on an incomplete body', async () => {
      const { key } = await api.key();
      const head = `POST /v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
      expect(await say(`${head}Content-Length: 100\r\n\r\n{"to":`)).to.match(/^HTTP\/1\.1 408 /);
    });

    it('answers invalid HTTP and oversized headers with the envelope', async () => {
      const large = `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`;
      const nul = 'GET / HTTP/1.1\r\nHost: x\r\nIf-Match: a\0\r\n\r\n';
      for (const words of ['NONSENSE\r\n\r\n', 'GET / HTTP/1.1\r\nBad Header\r\n\r\n', nul, large]) {
        const answer = await say(words);
        expect(answer)
          .to.match(/^HTTP\/1\.1 400 Bad Request\r\n/)
          .and.include('Connection: close');
        const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Record<string, string>;
        expect(body.error_code).to.equal('VALIDATION_ERROR');
        expect(body.docs_url).to.equal(`${api.url}/docs/errors/VALIDATION_ERROR`);
      }
    });

    it('refuses requests whose end another server might see elsewhere', async () => {
      const head = 'POST /v1/orders HTTP/1.1\r\nHost: x\r\n';
      const hidden = '0\r\n\r\nGET /v1/orders HTTP/1.1\r\nHost: x\r\n\r\n';
      for (const framing of [
        'Content-Length: 5\r\nTransfer-Encoding: chunked',
        'Transfer-Encoding: chunked\r\nContent-Length: 5',
        'Content-Length: 5\r\nContent-Length: 6',
        'Content-Length: +5',
        'Transfer-Encoding: chunked, identity',
        'Transfer-Encoding : chunked',
      ]) {
        const answer = await say(`${head}${framing}\r\n\r\n${hidden}`);
        expect(answer.match(/HTTP\/1\.1 \d+/g), framing).to.deep.equal(['HTTP/1.1 400']);
        expect(answer, framing).to.include('Connection: close');
      }
    });
  });

  it('drains: it is no longer ready, running requests finish, streams end, connections close', async () => {
    const gate = new Gate();
    const lifecycle = new Lifecycle();
    const checks = { database: () => Promise.resolve('up' as const) };
    const probes = probeRouter({ lifecycle, checks });
    const api = await testApi({ db: database.db, routes: sampleRoutes(gate), routers: [probes], lifecycle });
    const { key } = await api.key();
    expect((await api.request('GET', '/readyz')).status).to.equal(200);
    const streamed = once(gate, 'stream-ended');
    const stream = await fetch(`${api.url}/v1/order-stream`, { headers: { Authorization: `Bearer ${key}` } });
    gate.held = true;
    const entered = gate.entered();
    const running = api.request('GET', '/v1/order-open');
    await entered;
    // A probe that is in flight when the shutdown begins.
    const probe = connect(api.port, '127.0.0.1');
    await once(probe, 'connect');
    probe.write('GET /readyz HTTP/1.1\r\nHost: x\r\n');
    lifecycle.drain();
    probe.write('\r\n');
    const closed = api.server.close(10_000);
    expect(await text(probe)).to.match(/^HTTP\/1\.1 503 [\s\S]*draining\n$/);
    await streamed;
    expect(await stream.text()).to.include('event: tick');
    gate.open();
    const answer = await running;
    expect([answer.status, answer.headers.get('connection')]).to.deep.equal([200, 'close']);
    await closed;
    const refused = await fetch(`${api.url}/livez`).then(
      () => false,
      () => true,
    );
    expect(refused).to.equal(true);
    await api.audit.close();
  });

  it('aborts requests that still run after the grace period', async () => {
    const gate = new Gate();
    const api = await testApi({ db: database.db, routes: sampleRoutes(gate) });
    gate.held = true;
    const entered = gate.entered();
    const cut = api.request('GET', '/v1/order-open').then(
      () => false,
      () => true,
    );
    await entered;
    await api.server.close(20);
    expect(await cut).to.equal(true);
    gate.open();
    await api.audit.close();
  });

  it('answers 503 with Retry-After while the database is unavailable, and is not ready', async () => {
    const away = Database.open('postgres://nobody@127.0.0.1:1/nowhere', { acquireTimeoutMs: 500 });
    const check = () => away.query('SELECT 1').then(() => 'up' as const);
    const lifecycle = new Lifecycle();
    const routers = [probeRouter({ lifecycle, checks: { database: check } })];
    const off = () => Promise.resolve('off' as const);
    const none = () => Promise.resolve([]);
    const checks = { database: check, redis: off, sip: off, turn: off, certificate: off, engines: none, trunks: none };
    const routes = [...sampleRoutes(new Gate()), healthRoute({ version: '1', checks })];
    const api = await testApi({ db: away, routes, routers, lifecycle });
    const here = await testApi({ db: database.db, routes });
    try {
      const { key } = await here.key();
      const answer = await api.request('POST', '/v1/orders', { key, json: { to: '+966501234567' } });
      expect([answer.status, answer.body?.error_code]).to.deep.equal([503, 'INTERNAL_ERROR']);
      expect(answer.headers.get('retry-after')).to.equal('5');
      expect(answer.body?.message).to.include('database');
      expect(envelopeProblems(answer, api)).to.deep.equal([]);
      expect((await api.request('GET', '/readyz')).text).to.equal('database down\n');
      expect((await api.request('GET', '/livez')).status).to.equal(200);
      const health = await api.request('GET', '/v1/health');
      expect([health.status, health.body?.status]).to.deep.equal([503, 'down']);
    } finally {
      await here.close();
      await api.server.close(0);
      await away.close();
    }
  });

  it('reports the health of its components', async () => {
    const parts: Record<'redis' | 'sip' | 'turn' | 'certificate', PartStatus> & {
      engines: EngineHealth[];
      trunks: TrunkHealth[];
    } = {
      redis: 'up',
      sip: 'up',
      turn: 'off',
      certificate: 'off',
      engines: [],
      trunks: [],
    };
    const routeWith = (redis: () => Promise<PartStatus>) =>
      healthRoute({
        version: '1.2.3',
        checks: {
          database: () => Promise.resolve('up'),
          redis,
          sip: () => Promise.resolve(parts.sip),
          turn: () => Promise.resolve(parts.turn),
          certificate: () => Promise.resolve(parts.certificate),
          engines: () => Promise.resolve(parts.engines),
          trunks: () => Promise.resolve(parts.trunks),
        },
      });
    const ask = async (redis: () => Promise<PartStatus>) => {
      const api = await testApi({ db: database.db, routes: [routeWith(redis)] });
      try {
        const answer = await api.request('GET', '/v1/health');
        expect(api.faults).to.deep.equal([]);
        return [answer.status, answer.body?.status];
      } finally {
        await api.close();
      }
    };
    const fine = () => Promise.resolve(parts.redis);
    parts.engines = [{ id: 'e', kind: 'asterisk', status: 'up' }];
    expect(await ask(fine)).to.deep.equal([200, 'ok']);
    for (const [status, overall] of [
      ['up', 'ok'],
      ['unknown', 'ok'],
      ['down', 'degraded'],
    ] as const) {
      parts.trunks = [
        { id: 'working', status: 'up' },
        { id: 't', status },
      ];
      expect(await ask(fine), `a trunk is ${status}`).to.deep.equal([200, overall]);
    }
    parts.trunks = [];
    expect(await ask(() => Promise.reject(new Error('gone')))).to.deep.equal([200, 'degraded']);
    parts.engines = [{ id: 'e', kind: 'asterisk', status: 'unreachable' }];
    expect(await ask(fine)).to.deep.equal([200, 'degraded']);
    parts.engines = [];
    parts.sip = 'down';
    expect(await ask(fine)).to.deep.equal([200, 'degraded']);
    parts.sip = 'off';
    expect(await ask(fine)).to.deep.equal([200, 'ok']);
    // Most browsers need no TURN server.
    parts.turn = 'down';
    expect(await ask(fine)).to.deep.equal([200, 'ok']);
    parts.certificate = 'down';
    expect(await ask(fine)).to.deep.equal([200, 'degraded']);
  });

  describe('pages and metrics', () => {
    let api: TestApi;
    const registry = new Registry();
    before(async () => {
      const lifecycle = new Lifecycle();
      const publicUrl = { value: '' };
      const routes = sampleRoutes(new Gate());
      const up = () => Promise.resolve('up' as const);
      const routers = [
        docsRouter({ routes, publicUrl: () => publicUrl.value }),
        probeRouter({ lifecycle, checks: { database: up }, registry }),
      ];
      api = await testApi({ db: database.db, routes, routers, lifecycle, publicUrl, registry });
    });
    after(() => api.close());

    const page = async (path: string) => {
      const answer = await api.request('GET', path);
      expect([answer.status, answer.headers.get('content-type')], path).to.deep.equal([
        200,
        'text/html; charset=utf-8',
      ]);
      return answer;
    };
    const linksOf = (markup: string) => Array.from(markup.matchAll(/(?:href|src)="([^"]+)"/g), ([, link]) => link!);

    it('has a page for each error in both languages, linked by docs_url', async () => {
      for (const code of ERROR_CODES) {
        const { text: markup } = await page(`/docs/errors/${code}`);
        expect(markup, code).to.include(`<h1>${code}</h1>`).and.include('lang="ar" dir="rtl"');
      }
      const refused = await api.request('GET', '/v1/orders');
      const led = await fetch(String(refused.body?.docs_url));
      expect(await led.text()).to.include('<h1>INVALID_API_KEY</h1>');
      const { text: own } = await page('/docs/errors/CALL_FAILED');
      expect(own).to.include('/v1/orders</code>').and.not.include('/v1/orders/{order_id}</code>');
      const unknown = await api.request('GET', '/docs/errors/NO_SUCH_CODE');
      expect([unknown.status, unknown.body?.error_code]).to.deep.equal([404, 'NOT_FOUND']);
    });

    it('links only existing pages, and loads nothing from other hosts', async () => {
      const seen = new Set<string>();
      const waiting = ['/docs'];
      for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
        // The guide and the front page have tests of their own.
        if (seen.has(path) || path.startsWith('/docs/guide') || ['/v1/openapi.json', '/'].includes(path)) continue;
        seen.add(path);
        const answer = await api.request('GET', path);
        expect(answer.status, path).to.equal(200);
        if (!answer.headers.get('content-type')?.startsWith('text/html')) continue;
        const policy = answer.headers.get('content-security-policy') ?? '';
        expect(policy)
          .to.include("default-src 'none'")
          .and.not.match(/https?:|\*/);
        for (const link of linksOf(answer.text)) {
          if (link.startsWith('#')) {
            expect(answer.text, path).to.include(`id="${link.slice(1)}"`);
            continue;
          }
          expect(link, path).to.match(/^\//);
          waiting.push(link);
        }
      }
      expect(seen.size).to.be.above(ERROR_CODES.length);
      expect([...seen]).to.include.members([
        '/docs/changes',
        '/docs/events',
        '/docs/assets/swagger-ui-bundle.js',
        '/docs/assets/style.css',
      ]);
    });

    it('counts requests by route, not by path', async () => {
      const { key } = await api.key();
      await api.request('GET', '/v1/orders/0193f6e0-9d5c-7cc3-8f0e-0d8f5b7a4c11', { key });
      await api.request('GET', '/v1/orders/nonsense', { key });
      await api.request('BREW', '/v1/teapot').catch(() => undefined);
      const { text: metrics, headers } = await api.request('GET', '/metrics');
      expect(headers.get('content-type')).to.match(/^text\/plain/);
      const route = 'route="/v1/orders/:order_id"';
      expect(metrics).to.include(`hatif_http_requests_total{method="GET",${route},status="200"} 1`);
      expect(metrics).to.include(`hatif_http_errors_total{${route},code="CALL_NOT_FOUND"} 1`);
      expect(metrics).to.include(`hatif_http_request_duration_seconds_count{method="GET",${route}} 2`);
      expect(metrics).to.not.include('nonsense').and.not.include('BREW');
    });

    it('tells browsers to keep to HTTPS for a year, if its public address is one of HTTPS', async () => {
      const publicly = async (value: string): Promise<string | null> => {
        const other = await testApi({ db: database.db, routes: [], publicUrl: { value } });
        const { headers } = await other.request('GET', '/v1/nowhere');
        await other.close();
        return headers.get('strict-transport-security');
      };
      expect(await publicly('https://voice.example')).to.equal('max-age=31536000; includeSubDomains');
      expect(await publicly('http://voice.example')).to.equal(null);
    });

    it('forbids framing, caching and content sniffing', async () => {
      const answer = await api.request('GET', '/v1/orders');
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      expect(answer.headers.get('x-content-type-options')).to.equal('nosniff');
      expect(answer.headers.get('content-security-policy')).to.include("frame-ancestors 'none'");
      expect(answer.headers.get('cross-origin-resource-policy')).to.equal('same-origin');
      expect(answer.headers.get('referrer-policy')).to.equal('no-referrer');
      expect(answer.headers.has('x-powered-by')).to.equal(false);
    });
  });
});
