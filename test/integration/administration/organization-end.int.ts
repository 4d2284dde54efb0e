import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { PERSONAL_DATA } from '../../../core/model/privacy/personal-data.js';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { codeOf } from '../../support/judges/outcome.js';
import { columnsWith } from '../../support/rows/person.js';
import { callRow, endpointRow, eventOf, insertRows } from '../../support/rows/rows.js';
import { EndingStage, type Inhabited } from '../../support/stages/administration/ending-stage.js';
import { SoftphoneEngine } from '../../support/stages/accounts/softphone-engine.js';

const DAY_MS = 86_400_000;

describe('The end of an organization', function () {
  this.timeout(60_000);
  let stage: EndingStage;

  before(async () => {
    stage = await EndingStage.open({ KEEP_CDR_YEARS: '2', KEEP_INVOICES_YEARS: '6' });
  });
  after(() => stage.close());

  const db = () => stage.administration.stores.db;
  const asKey = ({ key }: Inhabited) => stage.administration.api.request('GET', '/v1/orders', { key });

  it('needs the name of the organization, and changes nothing without it', async () => {
    const one = await stage.inhabited();
    for (const body of [{}, { name: '' }, { name: 'Riyadh' }, { name: one.name.toLowerCase() }, { name: 5 }]) {
      expect(codeOf(await stage.delete(one, body))).to.equal('400 VALIDATION_ERROR');
    }
    expect(codeOf(await asKey(one))).to.equal('200');
    const { administration } = stage;
    expect(codeOf(await administration.ask('DELETE', `/organizations/${newId()}`, { name: 'x' }))).to.equal(
      '404 NOT_FOUND',
    );
    expect(codeOf(await administration.ask('DELETE', '/organizations/nonsense', { name: 'x' }))).to.equal(
      '404 NOT_FOUND',
    );
    const path = `/organizations/${one.ground.organizationId}/deletion`;
    expect(codeOf(await administration.ask('GET', path))).to.equal('404 NOT_FOUND');
    expect(codeOf(await administration.ask('GET', `${path}/archive`))).to.equal('404 NOT_FOUND');
  });

  it('is for administrators only', async () => {
    const one = await stage.inhabited();
    const path = `/organizations/${one.ground.organizationId}`;
    const { administration } = stage;
    const { key: sandbox } = await administration.api.key({ projectId: one.ground.projectId, kind: 'sandbox' });
    for (const key of [one.key, sandbox]) {
      const answer = await administration.ask('DELETE', path, { name: one.name }, { key });
      expect(codeOf(answer)).to.equal('403 INSUFFICIENT_PERMISSIONS');
    }
    const owner = await administration.ask('DELETE', path, { name: one.name }, { key: one.token });
    expect(codeOf(owner)).to.equal('401 ADMIN_UNAUTHORIZED');
    expect(codeOf(await asKey(one))).to.equal('200');
  });

  it('stops keys, sessions, softphones and calls to its numbers at once', async () => {
    const one = await stage.inhabited();
    const { administration } = stage;
    const engine = await SoftphoneEngine.start(db(), administration.bus, `phones-${one.ground.projectId}`);
    const [number] = await db().query<{ e164: string }>(
      `SELECT e164 FROM numbers WHERE organization_id = $1 AND state = 'assigned' LIMIT 1`,
      [one.ground.organizationId],
    );
    expect(await new Numbers(db()).findByE164(number?.e164 ?? '')).to.not.equal(null);
    expect((await stage.delete(one, { name: one.name })).status).to.equal(202);
    expect(codeOf(await asKey(one))).to.equal('401 REVOKED_API_KEY');
    const asOwner = await administration.api.request('GET', '/v1/orders', { key: one.token });
    expect(codeOf(asOwner)).to.equal('401 INVALID_ACCESS_TOKEN');
    expect(await new Numbers(db()).findByE164(number?.e164 ?? '')).to.equal(null);
    expect(await new Agents(db()).findByAor(`a${one.ground.projectId}`)).to.equal(null);
    expect((await new Agents(db()).list()).map(({ project_id }) => project_id)).to.not.include(one.ground.projectId);
    const [endpoint] = await db().query(
      `SELECT 1 FROM webhook_endpoints WHERE project_id = $1 AND status = 'enabled'`,
      [one.ground.projectId],
    );
    expect(endpoint).to.equal(undefined);
    const audited = await administration.audited('/v1/admin/organizations/:organization_id');
    expect(audited).to.include({ method: 'DELETE', organization_id: one.ground.organizationId, status: 202 });
    await engine.stop();
  });

  it('cannot be taken back, and begins once', async () => {
    const one = await stage.inhabited();
    const first = await stage.delete(one, { name: one.name });
    expect(codeOf(await stage.delete(one, { name: 'another' }))).to.equal('400 VALIDATION_ERROR');
    const again = await stage.delete(one, { name: one.name });
    expect(again.body?.id).to.equal(first.body?.id);
    const path = `/organizations/${one.ground.organizationId}`;
    expect(codeOf(await stage.administration.ask('PATCH', path, { suspended: false }))).to.equal(
      '409 ORGANIZATION_ENDED',
    );
    expect((await stage.administration.done('GET', path)).ended_at).to.be.a('string');
    expect(codeOf(await stage.administration.ask('GET', `${path}/deletion/archive`))).to.equal('409 ARCHIVE_NOT_READY');
  });

  it('ends live calls and gives up webhooks before it continues', async () => {
    const one = await stage.inhabited();
    const { bus, clock } = stage.administration;
    const call = callRow(one.ground, { status: 'answered' });
    const endpoint = endpointRow(one.ground);
    const event = eventOf(call);
    await insertRows(db(), 'calls', [call]);
    await insertRows(db(), 'webhook_endpoints', [endpoint]);
    await insertRows(db(), 'events', [event]);
    const delivery = { id: newId(), event_id: event.id, endpoint_id: endpoint.id, lane: endpoint.id, url: null };
    const due = { status: 'pending', attempts: 0, next_attempt_at: new Date(), created_at: new Date() };
    await insertRows(db(), 'webhook_deliveries', [{ ...delivery, ...due, project_id: one.ground.projectId }]);
    const commands: unknown[] = [];
    const stop = await bus.serve(one.ground.engineId, (command) => {
      commands.push(command);
      return Promise.resolve({ result: 'done' });
    });
    const waiting = await stage.end(one);
    expect(waiting).to.include({ status: 'running', step: 'stop', problem: 'live_calls' });
    expect(commands).to.have.length(1);
    expect(commands[0]).to.deep.include({ type: 'control', callId: call.id, what: { action: 'hangup' } });
    await db().query(`UPDATE calls SET status = 'ended', ended_at = now() WHERE id = $1`, [call.id]);
    await clock.advance(6_000);
    await stage.work();
    expect((await stage.ending(one)).status).to.equal('completed');
    expect(await db().query(`SELECT 1 FROM webhook_deliveries WHERE status = 'pending'`)).to.deep.equal([]);
    await stop();
  });

  it('continues although a call cannot be reached at the moment', async () => {
    const one = await stage.inhabited();
    const call = callRow(one.ground, { status: 'ringing' });
    await insertRows(db(), 'calls', [call]);
    expect(await stage.end(one)).to.include({ step: 'stop', problem: 'live_calls' });
    await db().query(`UPDATE calls SET status = 'failed', ended_at = now() WHERE id = $1`, [call.id]);
    await stage.administration.clock.advance(6_000);
    await stage.work();
    expect((await stage.ending(one)).status).to.equal('completed');
  });

  it('stores an archive of everything, without secrets', async () => {
    const one = await stage.inhabited();
    const ending = await stage.end(one);
    expect(ending.archive?.parts).to.have.length(1);
    const members = await stage.archive(one);
    const rows = (table: string) => members.get(`data/${table}/000001.json`) as Record<string, unknown>[];
    expect(rows('organizations')[0]).to.include({ name: one.name });
    expect(rows('users')).to.have.length(1);
    expect(rows('calls')[0]).to.deep.include({ customer_number: one.person.phone, metadata: one.rows.call.metadata });
    for (const table of ['projects', 'api_keys', 'agents', 'numbers', 'virtual_numbers', 'blocked_callers']) {
      expect(rows(table), table).to.be.an('array');
    }
    const recordings = [...members.keys()].filter((name) => name.startsWith('recordings/'));
    expect(recordings).to.have.length(2);
    const text = JSON.stringify([...members]);
    for (const secret of ['signing_secret', 'sip_password', 'password_hash', '"hash"', '"secret"', 'kept_secret']) {
      expect(text, secret).to.not.contain(secret);
    }
    await stage.administration.clock.advance(31 * DAY_MS);
    await stage.work();
    const [row] = await db().query<{ parts: unknown[] }>(
      'SELECT parts FROM organization_endings WHERE organization_id = $1',
      [one.ground.organizationId],
    );
    expect(row?.parts).to.deep.equal([]);
    await stage.signInAgain();
    const path = `/organizations/${one.ground.organizationId}/deletion/archive`;
    expect(codeOf(await stage.administration.ask('GET', path))).to.equal('410 ARCHIVE_EXPIRED');
  });

  it('releases its numbers, deletes its files, and leaves rows only where the law keeps them', async () => {
    const one = await stage.inhabited();
    const e164s = await db().query<{ e164: string }>('SELECT e164 FROM numbers WHERE organization_id = $1', [
      one.ground.organizationId,
    ]);
    const ending = await stage.end(one);
    expect(ending).to.include({ status: 'completed', step: 'old_calls' });
    expect(ending.kept_until).to.be.a('string');
    for (const { e164 } of e164s) {
      const [number] = await db().query('SELECT state, organization_id FROM numbers WHERE e164 = $1', [e164]);
      expect(number).to.deep.equal({ state: 'quarantined', organization_id: null });
    }
    for (const key of one.rows.storageKeys) {
      const stored = await stage.administration.storages.current.size(key).then(
        () => true,
        () => false,
      );
      expect(stored).to.equal(false);
    }
    const left = await stage.tablesLeft(one);
    expect(left).to.include.members(['calls', 'charges', 'organizations', 'projects', 'audit_log']);
    const ends = new Set(left.map((table) => PERSONAL_DATA[table]?.end));
    expect([...ends]).to.have.members(['cdr', 'billing', 'retention', 'installation']);
    const [call] = await db().query('SELECT customer_number, metadata, caller_id_name FROM calls WHERE id = $1', [
      one.rows.call.id,
    ]);
    expect(call).to.deep.equal({ customer_number: one.person.phone, metadata: {}, caller_id_name: null });
  });

  it('keeps what is recorded under legal hold until the operator releases it', async () => {
    const one = await stage.inhabited();
    const [held] = one.rows.storageKeys;
    await db().query('UPDATE recordings SET legal_hold = true WHERE storage_key = $1', [held]);
    await stage.end(one);
    expect(await stage.tablesLeft(one)).to.include('recordings');
    expect(await stage.administration.storages.current.size(held)).to.be.greaterThan(0);
  });

  it('deletes the rest when the years end, the organization last', async () => {
    const one = await stage.inhabited();
    await stage.administration.billing.balances.topUp(one.ground.organizationId, 1_000_000, 'bank-1', null);
    await stage.end(one);
    expect(await stage.tablesLeft(one)).to.include.members(['calls', 'ledger_transactions']);
    await stage.administration.clock.advance(2 * 366 * DAY_MS);
    await stage.work();
    expect(await stage.tablesLeft(one))
      .to.include('ledger_transactions')
      .and.not.include('calls');
    expect(await columnsWith(db(), one.person.phone)).to.deep.equal([]);
    await stage.administration.clock.advance(4 * 366 * DAY_MS);
    await stage.work();
    expect(await stage.tablesLeft(one)).to.have.members(['audit_log', 'organization_endings']);
    const [row] = await db().query(
      'SELECT status, due_at, kept_until FROM organization_endings WHERE organization_id = $1',
      [one.ground.organizationId],
    );
    expect(row).to.deep.equal({ status: 'completed', due_at: null, kept_until: null });
  });
});
