import { expect } from 'chai';
import { systemClock } from '../../../core/ports/clock.js';
import { hashKey } from '../../../core/model/access/keys.js';
import { createDemo, type Demo } from '../../../core/services/bootstrap/demo.js';
import type { Platform } from '../../../main/platform.js';
import { TEST_CIPHER as cipher } from '../../support/cipher.js';
import { barePlatform, type BarePlatform } from '../../support/platform/bare-platform.js';

const RANGE = { NUMBER_RANGES: '+966125551000-+966125551009' };
const DEMO = /^\+9661155501\d\d$/;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

describe('the numbers of a fresh installation', function () {
  this.timeout(60_000);
  const open: BarePlatform[] = [];
  let demo: Demo;

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  async function start(environment: Record<string, string> = {}, databaseUrl?: string): Promise<Platform> {
    const bare = await barePlatform('api', environment, databaseUrl === undefined ? {} : { databaseUrl });
    open.push(bare);
    return bare.platform;
  }

  async function fresh(environment: Record<string, string> = {}): Promise<Platform> {
    const platform = await start(environment);
    const { organizations, projects } = platform.stores;
    demo = await createDemo({
      accounts: {
        createOrganization: (row) => organizations.create(row),
        createProject: (row) => projects.create(row),
      },
      ...platform.management,
      cipher,
      clock: systemClock,
    });
    return platform;
  }

  async function ask({ api }: Platform, method: string, path: string, json?: object): Promise<Answer> {
    const answer = await fetch(`${api?.url ?? ''}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${demo.liveKey}`, 'content-type': 'application/json' },
      ...(json && { body: JSON.stringify(json) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  async function offered(platform: Platform): Promise<string[]> {
    const { body } = await ask(platform, 'GET', '/numbers/available?limit=100');
    return (body.data as { e164: string }[]).map(({ e164 }) => e164);
  }

  async function allocated(platform: Platform, user: string): Promise<Answer & { e164: string }> {
    const answer = await ask(platform, 'POST', '/virtual-numbers', { external_user_id: user });
    return { ...answer, e164: String((answer.body.data as { e164: string } | undefined)?.e164) };
  }

  it('are used with keys that see no full numbers of customers', async () => {
    const platform = await fresh();
    for (const key of [demo.liveKey, demo.sandboxKey]) {
      const found = await platform.stores.keys.findByHash(hashKey(key));
      expect(found?.key.scopes).to.include('calls:read').and.to.not.include('pii:read');
    }
  });

  it('can be ordered and allocated at once, and say that they are the demo’s', async () => {
    const platform = await fresh();
    const before = await offered(platform);
    expect(before).to.have.length(50);
    expect(before.every((e164) => DEMO.test(e164))).to.equal(true);
    const ordered = await ask(platform, 'POST', '/numbers', { type: 'geographic' });
    expect(ordered.status, JSON.stringify(ordered.body)).to.equal(201);
    expect(ordered.body).to.include({ source: 'demo', status: 'assigned', e164: before[0] });
    const virtual = await allocated(platform, 'courier-42');
    expect(virtual.status).to.equal(201);
    expect(virtual.e164).to.equal(before[1]);
    expect(await offered(platform)).to.deep.equal(before.slice(2));
    const { body } = await ask(platform, 'GET', '/numbers');
    const sources = (body.data as { source: string }[]).map(({ source }) => source);
    expect(sources, 'the line, two agents, one ordered and one allocated').to.deep.equal(Array(5).fill('demo'));
  });

  for (const [what, environment] of [
    ['ranges', RANGE],
    ['a provider', { NUMBER_PROVIDER_URL: 'http://127.0.0.1:1', NUMBER_PROVIDER_SECRET: 'a secret for the provider' }],
  ] as const) {
    it(`are not offered by an operator with ${what}`, async () => {
      const { stores } = await fresh(environment);
      expect(await stores.db.query(`SELECT e164 FROM numbers WHERE state = 'available'`)).to.deep.equal([]);
    });
  }

  it('make room for the operator’s ranges, but stay with their owners', async () => {
    const { stores } = await fresh();
    const before = open[0]!;
    const ordered = await ask(before.platform, 'POST', '/numbers', { type: 'geographic' });
    const platform = await start(RANGE, before.database.url);
    expect(await offered(platform))
      .to.have.length(10)
      .and.satisfy((all: string[]) => !all.some((e) => DEMO.test(e)));
    expect((await allocated(platform, 'courier-1')).e164).to.match(/^\+96612555/);
    const again = await ask(platform, 'POST', '/numbers', { prefix: '+96611' });
    expect([again.status, again.body.error_code]).to.deep.equal([409, 'NUMBER_NOT_AVAILABLE']);
    const named = await ask(platform, 'POST', '/numbers', { number: '+966115550199' });
    expect([named.status, named.body.error_code]).to.deep.equal([409, 'NUMBER_NOT_AVAILABLE']);
    expect(await stores.numbers.findByE164(String(ordered.body.e164))).to.include({ source: 'demo' });
    expect(await stores.numbers.findByE164(demo.lineNumber)).to.include({ source: 'demo', state: 'assigned' });
  });

  it('make room for a number that the operator adds, but stay with their owners', async () => {
    const platform = await fresh();
    const ordered = await ask(platform, 'POST', '/numbers', { type: 'geographic' });
    const [project] = await platform.stores.projects.list();
    await platform.management.numbering.service.add(project!, '+966125551001');
    expect(await offered(platform)).to.deep.equal([]);
    for (const wanted of [{ number: '+966115550199' }, { type: 'geographic' }]) {
      const { status, body } = await ask(platform, 'POST', '/numbers', wanted);
      expect([status, body.error_code]).to.deep.equal([409, 'NUMBER_NOT_AVAILABLE']);
    }
    const kept = await platform.stores.numbers.findByE164(String(ordered.body.e164));
    expect(kept).to.include({ source: 'demo', state: 'assigned' });
  });

  it('make room for imported numbers, also for themselves', async () => {
    const platform = await fresh();
    const { imports } = platform.management.numbering;
    const rows = ['+966115550150', '+966125551000'].map((e164, index) => ({
      line: index + 1,
      e164,
      kind: 'geographic' as const,
    }));
    expect(await imports.run(rows, true, () => undefined)).to.deep.equal({ added: 2, known: 0 });
    expect(await offered(platform), 'a dry run changes nothing').to.have.length(50);
    expect(await imports.run(rows, false, () => undefined)).to.deep.equal({ added: 2, known: 0 });
    expect(await offered(platform)).to.deep.equal(['+966115550150', '+966125551000']);
    expect(await platform.stores.inventory.find('+966115550150')).to.include({ source: 'operator' });
    expect(await platform.stores.numbers.isDemo('+966115550150')).to.equal(false);
  });
});
