import { expect } from 'chai';
import { Keys } from '../../../core/data/repositories/accounts/keys.js';
import { listAuditRows } from '../../../core/data/repositories/accounts/audit.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import { newId } from '../../../core/model/ids.js';
import { generateKey } from '../../../core/model/access/keys.js';
import { systemClock } from '../../../core/ports/clock.js';
import { Authenticator } from '../../../core/services/access/authenticate.js';
import { KeyService } from '../../../core/services/access/keys.js';
import { createLogger } from '../../../api/http/logging.js';
import { testApi, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { envelopeProblems } from '../../support/judges/route-contract.js';
import { Gate, sampleRoutes } from '../../support/sample-routes.js';

describe('API keys', () => {
  let database: TestDatabase;
  let api: TestApi;
  let service: KeyService;

  before(async function () {
    this.timeout(60_000);
    database = await testDatabase();
    api = await testApi({ db: database.db, routes: sampleRoutes(new Gate()) });
    service = new KeyService({
      keys: new Keys(database.db),
      projects: new Projects(database.db),
      clock: systemClock,
      onRevoked: () => api.authenticator.clearCache(),
    });
  });
  after(async () => {
    await api.close();
    await database.close();
  });

  const codeOf = async (headers: Record<string, string>): Promise<string> => {
    const answer = await api.request('GET', '/v1/orders', { headers });
    expect(envelopeProblems(answer, api)).to.deep.equal([]);
    return `${answer.status} ${String(answer.body?.error_code)}`;
  };

  it('rejects everything but keys that it issued', async () => {
    const { key } = await api.key();
    const broken = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
    const FORM = 'the Authorization header does not have the form "Bearer <API_KEY>"';
    const MISTYPED = 'the key is incomplete or mistyped';
    const rows: readonly (readonly [authorization: string, problem: string])[] = [
      ['', FORM],
      ['Bearer', FORM],
      [`Basic ${key}`, FORM],
      [key, FORM],
      [`Bearer ${key} x`, FORM],
      ['Bearer sk_live_x', MISTYPED],
      [`Bearer ${broken}`, MISTYPED],
      [`Bearer ${generateKey('live')}`, 'this installation does not know the key'],
    ];
    for (const [authorization, problem] of rows) {
      const { status, body } = await api.request('GET', '/v1/orders', { headers: { Authorization: authorization } });
      expect([status, body?.error_code, body?.message], authorization.slice(0, 20)).to.deep.equal([
        401,
        'INVALID_API_KEY',
        `The request carries no valid API key: ${problem}.`,
      ]);
    }
    const answer = await api.request('GET', '/v1/orders');
    expect(answer.body?.message).to.include('the Authorization header is missing');
    expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
    expect((await api.request('GET', '/v1/orders', { headers: { Authorization: `bearer ${key}` } })).status).to.equal(
      200,
    );
  });

  it('rejects an expired key, and a revoked key immediately', async () => {
    const { key, view } = await api.key();
    await database.db.query(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [view.id]);
    expect(await codeOf({ Authorization: `Bearer ${key}` })).to.equal('401 EXPIRED_API_KEY');
    const other = await api.key();
    expect((await api.request('GET', '/v1/orders', { key: other.key })).status).to.equal(200);
    const revoked = await service.revoke(other.view.project_id, other.view.id);
    expect(revoked.status).to.equal('revoked');
    expect(await codeOf({ Authorization: `Bearer ${other.key}` })).to.equal('401 REVOKED_API_KEY');
    const again = await service.revoke(other.view.project_id, other.view.id);
    expect(again.revoked_at).to.deep.equal(revoked.revoked_at);
  });

  it('notices a revocation by another process within two seconds', async () => {
    const { key, view } = await api.key();
    let nowMs = 1_000;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const logger = createLogger({ level: 'silent' });
    const authenticator = new Authenticator({ store: new Keys(database.db), clock, logger });
    const attempt = () =>
      authenticator.authenticate(`Bearer ${key}`, '127.0.0.1').then(
        ({ id }) => id,
        (error: unknown) => String(error),
      );
    expect(await attempt()).to.equal(view.id);
    await new Keys(database.db).revoke(view.project_id, view.id, new Date());
    nowMs = 2_999;
    expect(await attempt()).to.equal(view.id);
    nowMs = 3_001;
    expect(await attempt()).to.match(/revoked/);
  });

  it('accepts a key only from its allowed addresses', async () => {
    const here = await api.key({ allowedIps: ['10.0.0.0/8', '127.0.0.1'] });
    expect((await api.request('GET', '/v1/orders', { key: here.key })).status).to.equal(200);
    const elsewhere = await api.key({ allowedIps: ['10.0.0.0/8', '::1', '2001:db8::/32'] });
    const answer = await api.request('GET', '/v1/orders', { key: elsewhere.key });
    expect([answer.status, answer.body?.error_code]).to.deep.equal([403, 'INSUFFICIENT_PERMISSIONS']);
    expect(answer.body?.message).to.include('127.0.0.1');
  });

  it('records when a key was last used', async () => {
    const { key, view } = await api.key();
    await api.request('GET', '/v1/orders', { key });
    let used: Date | null = null;
    for (let tries = 0; used === null && tries < 100; tries++) {
      used = (await service.list(view.project_id))[0]?.last_used_at ?? null;
    }
    expect(used).to.be.an.instanceOf(Date);
  });

  it('validates the properties of a new key, and shows its secret once', async () => {
    const { projectId } = await api.owner();
    const base = { projectId, name: 'Shop', kind: 'sandbox' } as const;
    const failures: [object, string][] = [
      [{ scopes: ['calls:read', 'calls:everything'] }, 'INVALID_SCOPE'],
      [{ scopes: [] }, 'VALIDATION_ERROR'],
      [{ name: ' ' }, 'VALIDATION_ERROR'],
      [{ allowedIps: ['10.0.0.0/40'] }, 'VALIDATION_ERROR'],
      [{ rateLimitPerMinute: 0 }, 'VALIDATION_ERROR'],
      [{ expiresAt: new Date(0) }, 'VALIDATION_ERROR'],
      [{ projectId: newId() }, 'PROJECT_NOT_FOUND'],
    ];
    for (const [change, code] of failures) {
      const error = await service.create({ ...base, ...change }).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error, JSON.stringify(change)).to.have.property('code', code);
    }
    const { key, view } = await service.create({ ...base, scopes: ['calls:read', 'calls:read'] });
    expect(view).to.include({ kind: 'sandbox', status: 'active', prefix: key.slice(0, 19) });
    expect(view.scopes).to.deep.equal(['calls:read']);
    const kept = JSON.stringify([await service.list(projectId), await database.db.query('SELECT * FROM api_keys')]);
    expect(kept).to.include(view.prefix).and.not.include(key);
    const missing = await service.revoke(projectId, newId()).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(missing).to.have.property('code', 'API_KEY_NOT_FOUND');
  });

  it('writes who changed what to the audit log, without digits, full numbers or secrets', async () => {
    const { projectId } = await api.owner();
    const { key, view } = await api.key({ projectId });
    const reader = await api.key({ projectId, scopes: ['usage:read'] });
    const path = `/v1/orders/${newId()}/digits`;
    await api.request('POST', path, { key, json: { digits: '1234#' }, headers: { 'X-Request-Id': 'audit-1' } });
    await api.request('POST', '/v1/orders', { key, json: { to: '+966501234567', size: 2, metadata: { a: 'b' } } });
    await api.request('POST', '/v1/orders', { key: reader.key, json: {} });
    await api.request('GET', '/v1/orders', { key });
    await api.audit.flush();
    const rows = await listAuditRows(database.db, projectId, 10);
    expect(rows.map(({ route, status, error_code, key_id }) => [route, status, error_code, key_id])).to.deep.equal([
      ['/v1/orders', 403, 'INSUFFICIENT_PERMISSIONS', reader.view.id],
      ['/v1/orders', 201, null, view.id],
      ['/v1/orders/:order_id/digits', 200, null, view.id],
    ]);
    expect(rows[2]).to.deep.include({ request_id: 'audit-1', path, method: 'POST', ip: '127.0.0.1' });
    expect(rows[2]?.details).to.deep.equal({ fields: ['digits'] });
    expect(rows[1]?.details).to.deep.equal({
      fields: ['to', 'size', 'metadata'],
      values: { to: '+96650••••67', size: 2 },
    });
    const everything = JSON.stringify([rows, api.log]);
    for (const number of ['0501234567', '%2B966501234567', 'sip:966501234567@h']) {
      await api.request('POST', `/v1/orders/${number}/digits`, { key, json: { digits: '1' } });
    }
    await api.audit.flush();
    const hurried = (await listAuditRows(database.db, projectId, 3)).map((row) => row.path);
    expect(hurried).to.deep.equal([
      '/v1/orders/sip:966501••••67@h/digits',
      '/v1/orders/+96650••••67/digits',
      '/v1/orders/05••••67/digits',
    ]);
    expect(api.log.join()).to.not.include('501234567');
    expect(everything).to.not.include('1234#').and.not.include('966501234567').and.not.include(key);
  });
});
