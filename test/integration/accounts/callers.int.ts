import { expect } from 'chai';
import { z } from 'zod';
import { route } from '../../../api/http/route.js';
import type { Role } from '../../../core/model/access/roles.js';
import { newId } from '../../../core/model/ids.js';
import type { RequestOptions } from '../../support/api.js';
import { stageEach } from '../../support/each.js';
import { codeOf } from '../../support/judges/outcome.js';
import { AccountsStage, type TestUser, type WantedUser } from '../../support/stages/accounts/accounts-stage.js';

const common = { tag: 'Test', summary: 'Test', errors: [] } as const;
const where = z.strictObject({
  project: z.string(),
  sandbox: z.boolean(),
  user: z.string().nullable(),
  id: z.string(),
});

/** Routes that show who calls them. */
const routes = [
  route({
    ...common,
    method: 'GET',
    path: '/v1/where',
    operationId: 'where',
    scope: null,
    keyKind: 'any',
    responses: { 200: { schema: where, description: 'The caller' } },
    handler: ({ caller: { projectId: project, sandbox, user, id } }) => ({
      status: 200,
      body: { project, sandbox, user: user?.email ?? null, id },
    }),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/v1/people',
    operationId: 'changePeople',
    permission: 'members:write',
    keyKind: 'user',
    responses: { 200: { schema: z.strictObject({ id: z.string(), n: z.string() }), description: 'The caller' } },
    handler: ({ user: { id }, requestId }) => ({ status: 200, body: { id, n: requestId } }),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/v1/admin/things',
    operationId: 'adminThings',
    scope: null,
    keyKind: 'administrator',
    responses: { 200: { schema: z.strictObject({ id: z.string() }), description: 'The caller' } },
    handler: ({ administrator: { id } }) => ({ status: 200, body: { id } }),
  }),
];

describe('signed-in users beside API keys', function () {
  this.timeout(60_000);
  let stage: AccountsStage;
  stageEach(
    (database) => AccountsStage.start(database, () => routes),
    (started) => (stage = started),
    (ended) => ended.close(),
  );

  /** Asks as a new user with this role. */
  const asRole = async (role: Role, of?: TestUser, more: WantedUser = {}) =>
    stage.as(await stage.signUp({ ...(of && { of }), ...more, user: { role, ...more.user } }));
  const headers = (project: string | null, mode: string | null = null): RequestOptions => ({
    headers: {
      ...(project !== null && { 'X-Hatif-Project': project }),
      ...(mode !== null && { 'X-Hatif-Mode': mode }),
    },
  });

  it('work on their only project, or on the one that they name', async () => {
    const alone = await stage.signUp();
    const ask = await stage.as(alone);
    const { body } = await ask('GET', '/v1/where');
    expect(body).to.deep.equal({
      project: alone.projectIds[0],
      sandbox: false,
      user: alone.row.email,
      id: alone.row.id,
    });

    const many = await stage.signUp({ projects: 3 });
    const [one = '', two = '', three = ''] = many.projectIds;
    const all = await stage.as(many);
    const missing = await all('GET', '/v1/where');
    expect(codeOf(missing)).to.equal('400 VALIDATION_ERROR');
    expect(missing.body?.details).to.have.nested.property('[0].path', 'X-Hatif-Project');
    expect((await all('GET', '/v1/where', headers(two.toUpperCase()))).body?.project).to.equal(two);
    for (const unknown of [newId(), 'x', alone.projectIds[0]!]) {
      expect(codeOf(await all('GET', '/v1/where', headers(unknown)))).to.equal('404 PROJECT_NOT_FOUND');
    }

    const some = await stage.as(await stage.signUp({ of: many, user: { project_ids: [one, three] } }));
    expect((await some('GET', '/v1/where', headers(three))).body?.project).to.equal(three);
    expect(codeOf(await some('GET', '/v1/where', headers(two)))).to.equal('404 PROJECT_NOT_FOUND');
    const single = await stage.as(await stage.signUp({ of: many, user: { project_ids: [two] } }));
    expect((await single('GET', '/v1/where')).body?.project).to.equal(two);
    const none = await stage.as(await stage.signUp({ of: many, user: { project_ids: [] } }));
    expect(codeOf(await none('GET', '/v1/where'))).to.equal('400 VALIDATION_ERROR');
  });

  it('work in live mode or in the sandbox, as far as the organization may', async () => {
    const production = await stage.as(await stage.signUp());
    expect((await production('GET', '/v1/where', headers(null, 'sandbox'))).body?.sandbox).to.equal(true);
    expect((await production('GET', '/v1/where', headers(null, 'live'))).body?.sandbox).to.equal(false);
    expect(codeOf(await production('GET', '/v1/where', headers(null, 'Live')))).to.equal('400 VALIDATION_ERROR');
    const user = await stage.signUp({ tier: 'sandbox' });
    const sandbox = await stage.as(user);
    expect((await sandbox('GET', '/v1/where')).body?.sandbox).to.equal(true);
    expect(codeOf(await sandbox('GET', '/v1/where', headers(null, 'live')))).to.equal('403 PRODUCTION_TIER_REQUIRED');
    // A route for production only.
    expect(codeOf(await production('DELETE', `/v1/orders/${newId()}`, headers(null, 'sandbox')))).to.equal(
      '403 SANDBOX_KEY_NOT_ALLOWED',
    );
    const simulated = await sandbox('GET', '/v1/orders', { headers: { 'X-Simulate': 'server_error' } });
    expect(codeOf(simulated)).to.equal('500 SANDBOX_SIMULATED_SERVER_ERROR');
    const trials = await stage.db.query(`SELECT FROM sandbox_trials WHERE project_id = $1`, [user.projectIds[0]]);
    expect(trials, 'the trial began').to.have.length(1);
  });

  it('do what their role allows, and learn which roles may', async () => {
    const owner = await stage.signUp();
    const json = { to: '+966501234567' };
    const place = async (role: Role): Promise<string> =>
      codeOf(await (await asRole(role, owner))('POST', '/v1/orders', { json }));
    for (const role of ['owner', 'admin', 'developer', 'supervisor'] as const) {
      expect(await place(role), role).to.equal('201');
    }
    for (const role of ['finance', 'viewer'] as const)
      expect(await place(role), role).to.equal('403 INSUFFICIENT_ROLE');
    const viewer = await asRole('viewer', owner);
    expect(codeOf(await viewer('GET', '/v1/orders'))).to.equal('200');
    const refused = await viewer('POST', '/v1/orders', { json });
    expect(refused.body?.message).to.contain('the role owner or admin or developer');
    const developer = await asRole('developer', owner);
    expect(codeOf(await developer('POST', '/v1/people', { json: {} }))).to.equal('403 INSUFFICIENT_ROLE');
    const admin = await asRole('admin', owner);
    expect(codeOf(await admin('POST', '/v1/people', { json: {} }))).to.equal('200');
  });

  it('are needed on routes for people, where a key is not enough', async () => {
    const { key } = await stage.api.key();
    const people = (options: RequestOptions) => stage.api.request('POST', '/v1/people', { json: {}, ...options });
    expect(codeOf(await people({ key }))).to.equal('403 SESSION_REQUIRED');
    expect(codeOf(await people({ key: 'sk_live_x' }))).to.equal('401 INVALID_API_KEY');
    expect(codeOf(await people({}))).to.equal('401 INVALID_API_KEY');
    const ask = await stage.as(await stage.signUp());
    const answers = [1, 2].map(() => ask('POST', '/v1/people', { json: {}, headers: { 'Idempotency-Key': 'k' } }));
    // Either of the two is the first; the other one repeats its answer, or comes while it is running.
    const first = (await Promise.all(answers)).find((answer) => codeOf(answer) === '200');
    const again = await ask('POST', '/v1/people', { json: {}, headers: { 'Idempotency-Key': 'k' } });
    expect(again.body).to.deep.equal(first?.body);
    expect(codeOf(await stage.api.request('GET', '/v1/admin/things', { key }))).to.equal(
      '403 INSUFFICIENT_PERMISSIONS',
    );
  });

  it('have idempotency keys of their own in each project and mode', async () => {
    const user = await stage.signUp({ projects: 2 });
    const [one = '', two = ''] = user.projectIds;
    const ask = await stage.as(user);
    const order = async (project: string, mode: string, asking = ask): Promise<string | null> => {
      const answer = await asking('POST', '/v1/orders', {
        json: { to: '+966501234567' },
        headers: { 'X-Hatif-Project': project, 'X-Hatif-Mode': mode, 'Idempotency-Key': 'same' },
      });
      expect(answer.status, answer.text).to.equal(201);
      return answer.headers.get('idempotent-replayed');
    };
    for (const project of [one, two]) {
      for (const mode of ['live', 'sandbox']) expect(await order(project, mode), `${project} ${mode}`).to.equal(null);
    }
    expect(await order(one, 'live')).to.equal('true');
    expect(await order(one, 'live', await stage.as(user)), 'in another session').to.equal('true');
    expect(await order(one, 'live', await asRole('owner', user)), 'of another user').to.equal(null);
  });

  it('may make 600 requests a minute, over all their sessions', async () => {
    const user = await stage.signUp();
    const [one, two] = [await stage.as(user), await stage.as(user)];
    const first = await one('GET', '/v1/where');
    expect([first.headers.get('x-ratelimit-limit'), first.headers.get('x-ratelimit-remaining')]).to.deep.equal([
      '600',
      '599',
    ]);
    expect(first.headers.get('ratelimit-policy')).to.equal('"user";q=600;w=60');
    for (let n = 1; n < 600; n += 1) expect((await (n % 2 === 0 ? one : two)('GET', '/v1/where')).status).to.equal(200);
    const over = await one('GET', '/v1/where');
    expect(codeOf(over)).to.equal('429 RATE_LIMIT_EXCEEDED');
    expect(Number(over.headers.get('retry-after'))).to.be.within(1, 61);
    expect((await (await asRole('viewer', user))('GET', '/v1/where')).status, 'another user').to.equal(200);
  });

  it('are refused with the keys of a suspended organization, and work again when that is lifted', async () => {
    const user = await stage.signUp();
    const ask = await stage.as(user);
    const { key } = await stage.api.key({ projectId: user.projectIds[0]! });
    const both = async (): Promise<string[]> => [
      codeOf(await ask('GET', '/v1/where')),
      codeOf(await stage.api.request('GET', '/v1/where', { key })),
    ];
    expect(await both()).to.deep.equal(['200', '200']);
    const set = (at: Date | null) =>
      stage.db.query(`UPDATE organizations SET suspended_at = $2 WHERE id = $1`, [user.organization.id, at]);
    await set(stage.clock.now());
    await stage.clock.advance(2_001);
    expect(await both()).to.deep.equal(['403 INSUFFICIENT_PERMISSIONS', '403 INSUFFICIENT_PERMISSIONS']);
    await set(null);
    await stage.clock.advance(2_001);
    expect(await both()).to.deep.equal(['200', '200']);
  });

  it('only read while an administrator acts as them, and can be signed out', async () => {
    const user = await stage.signUp();
    const { access, id } = await stage.signIn(user);
    await stage.db.query(`UPDATE sessions SET impersonated_by = $2 WHERE id = $1`, [id, newId()]);
    const ask = async (method: string, path: string, json?: object): Promise<string> =>
      codeOf(await stage.api.request(method, path, { key: access, ...(json && { json }) }));
    expect(await ask('GET', '/v1/orders')).to.equal('200');
    expect(await ask('POST', '/v1/orders', { to: '+966501234567' })).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(await ask('POST', '/v1/people', {})).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(await ask('DELETE', '/v1/sessions')).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(await ask('POST', '/v1/sessions/logout')).to.equal('204');
  });

  it('need a second factor in the session if the organization requires it', async () => {
    const user = await stage.signUp({ organization: { second_factor_required: true } });
    const { access, id } = await stage.signIn(user);
    const ask = async (path: string): Promise<string> => codeOf(await stage.api.request('GET', path, { key: access }));
    expect(await ask('/v1/where')).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(await ask('/v1/sessions'), 'what enrolling needs').to.equal('200');
    await stage.db.query(`UPDATE sessions SET second_factor = true WHERE id = $1`, [id]);
    await stage.clock.advance(2_001);
    expect(await ask('/v1/where')).to.equal('200');
  });

  it('are named in the audit log and the log, without a key', async () => {
    const user = await stage.signUp();
    const ask = await stage.as(user);
    await ask('POST', '/v1/orders', { json: { to: '+966501234567' } });
    await stage.api.audit.flush();
    const rows = await stage.db.query(
      `SELECT organization_id, project_id, key_id, user_id FROM audit_log
       WHERE path = '/v1/orders' AND organization_id = $1`,
      [user.organization.id],
    );
    expect(rows).to.deep.equal([
      {
        organization_id: user.organization.id,
        project_id: user.projectIds[0],
        key_id: null,
        user_id: user.row.id,
      },
    ]);
    const line = stage.api.log
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .find(({ path }) => path === '/v1/orders');
    expect(line).to.include({ user_id: user.row.id, key_id: null, project_id: user.projectIds[0] });
  });
});
