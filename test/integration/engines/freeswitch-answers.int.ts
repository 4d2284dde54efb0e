import { directEdge } from '../../../adapters/sip/direct-edge.js';
import { once } from 'node:events';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { RedisLegEnds } from '../../../adapters/engines/redis-leg-ends.js';
import { connectRedis } from '../../../adapters/jobs/redis.js';
import { freeswitchRouter, FREESWITCH_PATH } from '../../../api/routes/platform/freeswitch.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { MemoryRateLimiter } from '../../../core/services/access/rate-limit.js';
import { AgentService } from '../../../core/services/agents/agents.js';
import { EngineService, engineSecret } from '../../../core/services/engines/manage.js';
import { TrunkService } from '../../../core/services/trunks/trunks.js';
import { EndedLegs } from '../../../engine/freeswitch/ended-legs.js';
import { freeswitchAnswers } from '../../../main/engines/freeswitch-answers.js';
import { openStores, type Stores } from '../../../main/wiring/stores.js';
import { ask, testApi, type Answer, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { testRedis, type TestRedis } from '../../support/platform/redis.js';
import { noteBeside } from '../../support/judges/error-coverage.js';
import { eventually } from '../../support/eventually.js';
import { quiet } from '../../support/logger.js';
import { groundIn, type Ground } from '../../support/rows/rows.js';
import { webSessionRow } from '../../support/rows/web-session-row.js';
import { TcpProxy } from '../../support/peers/tcp-proxy.js';

const NAME = 'pbx';
const OTHER = { host: '198.51.100.8', port: 5060 };
const cipher = new Cipher('a secret for tests, thirty-two characters');
const SECRET = engineSecret(cipher, NAME);
/** Rejected requests that are allowed per minute. */
const REFUSED = 5;

describe('FreeSWITCH’s requests', () => {
  let database: TestDatabase;
  let cable: TcpProxy;
  let stores: Stores;
  let api: TestApi;
  let redis: TestRedis;
  let redisCable: TcpProxy;
  /** Of the process that receives the requests, and of another one. */
  let connections: readonly [Redis, Redis];
  let ground: Ground;
  let agent: { readonly aor: string; readonly password: string };
  let engineId: string;

  before(async () => {
    database = await testDatabase();
    const url = new URL(database.url);
    cable = await TcpProxy.start(url.hostname, Number(url.port));
    url.hostname = '127.0.0.1';
    url.port = String(cable.port);
    stores = openStores(url.href, 2);
    redis = await testRedis();
    redisCable = await TcpProxy.start('127.0.0.1', Number(new URL(redis.url).port));
    const cut = new URL(redis.url);
    cut.port = String(redisCable.port);
    connections = [
      connectRedis(cut.href, 'test:one', quiet, { maxRetriesPerRequest: 1 }),
      connectRedis(redis.url, 'test:other', quiet),
    ];
    await Promise.all(connections.map((connection) => once(connection, 'ready')));
    api = await testApi({
      db: stores.db,
      routes: [],
      limits: { addressPerMinute: 1_000 },
      routers: [
        freeswitchRouter({
          identify: freeswitchAnswers({
            ...{ stores, cipher, legEnds: new RedisLegEnds(connections[0]), edge: directEdge, log: quiet },
            trunkProbeSeconds: 30,
            phonesNeedTls: false,
            codecs: ['PCMA', 'OPUS'],
          }),
          addressLimiter: new MemoryRateLimiter(systemClock),
          refusedPerMinute: REFUSED,
        }),
      ],
    });
    ground = await groundIn(database.db);
    const announce = (): Promise<void> => Promise.resolve();
    const [project] = await stores.projects.list();
    const { agents, numbers, trunks, engines } = stores;
    const added = await new AgentService({ agents, numbers, cipher, clock: systemClock, announce }).add(
      project!,
      '1001',
    );
    agent = { aor: (await agents.list())[0]!.aor, password: added.sipPassword };
    await new TrunkService({ trunks, states: stores.trunkStates, cipher, clock: systemClock, announce }).add({
      name: 'carrier',
      uri: 'sip:203.0.113.5:5080',
      inboundAddresses: ['203.0.113.5:5080', '203.0.113.64/27'],
      isDefault: true,
    });
    const service = new EngineService({ engines, cipher, announce });
    const engine = {
      ...{ password: 'p', user: 'hatif', weight: 1, maxCalls: null, details: null, recordings: null, wsUrl: null },
      sip: `${OTHER.host}:${OTHER.port}`,
    };
    await service.add({ ...engine, name: NAME, kind: 'freeswitch', address: '127.0.0.1', sip: '198.51.100.7:5060' });
    await service.add({ ...engine, name: 'asterisk-2', kind: 'asterisk', address: 'http://198.51.100.8:8088' });
    await service.add({ ...engine, name: 'named', kind: 'asterisk', address: 'http://a:8088', sip: 'localhost:5090' });
    engineId = (await engines.list()).find(({ name }) => name === NAME)!.id;
  });
  after(async () => {
    await api.close();
    await stores.db.close();
    await cable.close();
    for (const connection of connections) connection.disconnect();
    await redisCable.close();
    await redis.close();
    await database.close();
  });

  const basic = (name: string, secret: string): string =>
    `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;

  const post = (raw: string, type: string, authorization = basic(NAME, SECRET)): Promise<Answer> =>
    ask(api.url, 'POST', FREESWITCH_PATH, { raw, headers: { authorization, 'content-type': type } });

  const question = (fields: Readonly<Record<string, string>>, authorization?: string): Promise<Answer> =>
    post(new URLSearchParams(fields).toString(), 'application/x-www-form-urlencoded', authorization);

  const account = (authorization?: string): Promise<Answer> =>
    question({ section: 'directory', user: agent.aor, domain: 'hatif' }, authorization);

  it('for a softphone are answered with its account', async () => {
    const { status, headers, text } = await account();
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.match(/^text\/xml/);
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(text).to.contain(`<user id="${agent.aor}">`).and.to.contain(`name="password" value="${agent.password}"`);
  });

  it('for a browser are answered with the account of its session while that is open, over WebSocket only', async () => {
    const session = { ...webSessionRow(ground), sip_password: cipher.seal('of the browser') };
    const asked = (via: string): Promise<Answer> =>
      question({ section: 'directory', user: session.aor, domain: 'hatif', sip_via_protocol: via });
    await stores.webSessions.add(session, 'hash', { perProject: 9, perIdentity: 9 });
    const { text } = await asked('ws');
    expect(text).to.contain('value="of the browser"').and.to.contain('value="OPUS,PCMA"');
    expect((await asked('udp')).text).to.contain('status="not found"');
    await stores.webSessions.end(session.id, 'revoked', new Date());
    stores.directory.invalidate();
    expect((await asked('ws')).text).to.contain('status="not found"');
  });

  it('for unknown users, or anything else, are answered with not found', async () => {
    for (const fields of [
      { section: 'directory', user: `x' OR '1'='1`, domain: 'hatif' },
      { section: 'configuration', key_value: 'sofia.conf' },
      { section: 'dialplan' },
      {},
    ] as Record<string, string>[]) {
      const { status, text } = await question(fields);
      expect([status, text.includes('status="not found"')], JSON.stringify(fields)).to.deep.equal([200, true]);
    }
  });

  it('for addresses are answered with the trunks, and separately the other engines', async () => {
    const { text } = await question({ section: 'configuration', key_value: 'acl.conf' });
    const list = (name: string): string => new RegExp(`<list name="${name}"[^>]*>([^]*?)</list>`).exec(text)![1]!;
    expect(list('hatif-trunks').trim().split('\n')).to.deep.equal([
      '<node type="allow" cidr="203.0.113.5/32" port="5080"/>',
      '<node type="allow" cidr="203.0.113.64/27"/>',
    ]);
    expect(list('hatif-peers')).to.contain('<node type="allow" cidr="198.51.100.8/32" port="5060"/>');
    expect(list('hatif-peers'), 'a name is looked up').to.contain('cidr="127.0.0.1/32" port="5090"');
    expect(list('hatif-peers'), 'the engine itself').not.to.contain('198.51.100.7');
  });

  it('are answered from the cache while the database is unavailable', async () => {
    const addresses = { section: 'configuration', key_value: 'acl.conf' };
    const before = [await account(), await question(addresses)];
    cable.cut();
    try {
      // Waits until the regular cache time has passed.
      await eventually(async () => (await ended({ uuid: newId() })).status === 503, 'the database is unavailable');
      const meanwhile = [await account(), await question(addresses)];
      expect(meanwhile.map(({ status, text }) => [status, text])).to.deep.equal(
        before.map(({ status, text }) => [status, text]),
      );
      const unseen = await question({ section: 'directory', user: 'never-asked-for', domain: 'hatif' });
      expect(unseen.status).to.equal(503);
    } finally {
      cable.restore();
    }
  });

  it('without the engine’s own secret are rejected, in both languages', async () => {
    const wrong = ['', 'Basic', 'Bearer sk_live_x', basic(NAME, 'wrong'), basic(NAME, '')];
    expect(wrong).to.have.length(REFUSED);
    for (const authorization of wrong) {
      const { status, headers, body, text } = await account(authorization);
      expect(status, authorization).to.equal(401);
      expect(headers.get('www-authenticate')).to.equal('Basic realm="hatif"');
      expect(body).to.include({ error_code: 'ENGINE_UNAUTHORIZED' });
      expect(body)
        .to.have.property('message_ar')
        .that.matches(/[\u0600-\u06ff]/);
      expect(text).not.to.contain(agent.password);
    }
    noteBeside('ENGINE_UNAUTHORIZED');
  });

  it('are rejected after too many wrong secrets, but never with the right one', async () => {
    const guessed = await account(basic(NAME, 'guess'));
    expect([guessed.status, guessed.body?.error_code]).to.deep.equal([429, 'RATE_LIMIT_EXCEEDED']);
    expect((await account()).status).to.equal(200);
  });

  it('from an engine of another kind, an unknown one, or with another engine’s secret are rejected', async () => {
    for (const [name, owner] of [
      ['asterisk-2', 'asterisk-2'],
      ['unknown', 'unknown'],
      [NAME, 'asterisk-2'],
    ] as const) {
      const { status } = await account(basic(name, engineSecret(cipher, owner)));
      expect(status, `${name} with ${owner}'s`).to.equal(429);
    }
  });

  it('that are too long are rejected', async () => {
    const { status } = await question({ section: 'directory', user: 'x'.repeat(2_000_000) });
    expect(status).to.equal(413);
  });

  describe('about ended legs', () => {
    const legId = newId();
    const variables = {
      ...{ uuid: legId, direction: 'outbound', start_uepoch: '1795293989000000', end_uepoch: '1795293999500000' },
      ...{ answer_uepoch: '1795293990000000', hangup_cause: 'NORMAL_CLEARING', hangup_cause_q850: '16' },
    };
    const own = { process: 'host:1:x', ttlMs: 60_000 };

    it('are left for FreeSWITCH to retry while no process owns the engine', async () => {
      expect((await ended(variables)).status).to.equal(503);
      expect(await new RedisLegEnds(connections[1]).of([legId])).to.deep.equal(new Map());
    });

    it('are accepted while it has an owner, and known to every other process', async () => {
      const epoch = await stores.engines.acquire(engineId, own.process, own.ttlMs);
      const condition = { status: 'up', sip: 'up', bootId: 'b', version: '1.10' } as const;
      await stores.engines.renew(engineId, own.process, epoch!, own.ttlMs, condition);
      await eventually(async () => (await ended(variables)).status === 200, 'the report is accepted');
      const records = new EndedLegs({
        directory: import.meta.dirname,
        reported: new RedisLegEnds(connections[1]),
        log: quiet,
      });
      const found = await records.of([{ id: legId, created_at: new Date() }]);
      const { answeredAt, end } = found!.get(legId)!;
      expect([answeredAt, end?.at]).to.deep.equal([new Date(1_795_293_990_000), new Date(1_795_293_999_500)]);
      expect(end?.cause).to.deep.include({ q850: 16 });
    });

    it('are left for FreeSWITCH to keep while Redis is unavailable', async () => {
      redisCable.cut();
      expect((await ended(variables)).status).to.equal(503);
      const records = new EndedLegs({
        directory: import.meta.dirname,
        reported: new RedisLegEnds(connections[0]),
        log: quiet,
      });
      expect((await records.of([{ id: legId, created_at: new Date() }]))?.get(legId)).to.deep.equal({
        answeredAt: null,
        end: null,
      });
      redisCable.restore();
      await eventually(async () => (await ended(variables)).status === 200, 'the report is accepted again');
    });

    it('that are malformed are ignored', async () => {
      for (const text of ['', '{', 'null', '[]', '{"variables":7}']) {
        expect((await post(text, 'application/json')).status, text).to.equal(200);
      }
    });
  });

  function ended(variables: Readonly<Record<string, string>>): Promise<Answer> {
    return post(JSON.stringify({ variables }), 'application/json');
  }
});
