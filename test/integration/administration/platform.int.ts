import { expect } from 'chai';
import type { OwnNumberClaimRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { callRow, endpointRow, eventOf, groundIn, insertRows, type Ground } from '../../support/rows/rows.js';
import { codeOf } from '../../support/judges/outcome.js';
import { AdministrationStage } from '../../support/stages/administration/administration-stage.js';

const PDF = Buffer.from('%PDF-1.4\ntrailer<<>>\n%%EOF\n');
interface Listed {
  readonly data: Record<string, unknown>[];
  readonly next_cursor: string | null;
}

describe('the platform, for administrators', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: AdministrationStage;
  let ground: Ground;

  before(async () => {
    database = await testDatabase();
    stage = await AdministrationStage.open(database);
    await stage.setUp();
    ground = await groundIn(database.db);
  });
  after(async () => {
    await stage.close();
    await database.close();
  });

  const list = async (path: string): Promise<Listed['data']> =>
    ((await stage.done('GET', path)) as unknown as Listed).data;
  const owner = () => ({ projectId: ground.projectId, organizationId: ground.organizationId, sandbox: false });
  const owned = () => ({ organization_id: ground.organizationId, project_id: ground.projectId });

  describe('brands', () => {
    const submitted = async (name_en: string, name_ar: string): Promise<string> => {
      const { brands } = stage.management;
      const { id } = await brands.create({ name_en, name_ar }, { ...owner(), keyId: newId(), requestId: 'r' });
      await brands.submit({ projectId: ground.projectId, sandboxOnly: false }, id);
      return id;
    };

    it('are listed, and approved or rejected once', async () => {
      const [good, bad] = [await submitted('Good Shop', 'متجر جيد'), await submitted('Bad Shop', 'متجر سيئ')];
      expect((await list('/brands?status=pending')).map(({ id }) => id)).to.deep.equal([bad, good]);
      expect(await stage.done('POST', `/brands/${good}/approve`)).to.include({ status: 'approved', ...owned() });
      expect(await stage.audited('/v1/admin/brands/:brand_id/approve')).to.include(owned());
      const rejected = await stage.done('POST', `/brands/${bad}/reject`, { reason: 'Not yours' });
      expect(rejected).to.include({ status: 'rejected', rejection_reason: 'Not yours' });
      expect(await list('/brands?status=pending')).to.deep.equal([]);
      expect(codeOf(await stage.ask('POST', `/brands/${good}/reject`))).to.equal('409 VOICE_AUTH_BRAND_INVALID_STATE');
      expect(codeOf(await stage.ask('POST', `/brands/${good}/approve`))).to.equal('409 VOICE_AUTH_BRAND_INVALID_STATE');
      for (const step of ['approve', 'reject']) {
        const unknown = await stage.ask('POST', `/brands/${newId()}/${step}`);
        expect(codeOf(unknown)).to.equal('404 VOICE_AUTH_BRAND_NOT_FOUND');
      }
    });
  });

  describe('claims to own numbers', () => {
    const claim = async (e164: string): Promise<string> => {
      const at = stage.clock.now();
      const row: OwnNumberClaimRow = {
        ...{ id: newId(), ...owned(), sandbox: false, e164, method: 'letter', status: 'pending', code_id: null },
        ...{ reason: null, number_id: null, expires_at: new Date(at.getTime() + 86_400_000) },
        ...{ created_at: at, decided_at: null },
      };
      await stage.stores.ownNumberClaims.insert(row);
      return row.id;
    };

    it('are approved: the number is the project’s; or rejected with a reason', async () => {
      const [mine, other] = [await claim('+966135580001'), await claim('+966135580002')];
      expect((await list('/own-numbers?status=pending')).map(({ id }) => id)).to.deep.equal([other, mine]);
      expect(await stage.done('GET', `/own-numbers/${mine}`)).to.deep.include({ e164: '+966135580001', documents: [] });
      expect(await stage.done('POST', `/own-numbers/${mine}/approve`)).to.include({ status: 'verified', ...owned() });
      expect((await stage.stores.inventory.find('+966135580001'))?.project_id).to.equal(ground.projectId);
      const rejected = await stage.done('POST', `/own-numbers/${other}/reject`, { reason: 'No stamp' });
      expect(rejected).to.include({ status: 'rejected', reason: 'No stamp' });
      expect(await stage.audited('/v1/admin/own-numbers/:id/reject')).to.include(owned());
      for (const [id, step] of [
        [mine, 'reject'],
        [other, 'approve'],
      ] as const) {
        const again = await stage.ask('POST', `/own-numbers/${id}/${step}`, step === 'reject' ? { reason: 'x' } : {});
        expect(codeOf(again)).to.equal('403 OWN_DID_NUMBER_NOT_AUTHORIZED');
      }
      expect(await stage.stores.inventory.find('+966135580002')).to.equal(null);
      expect(codeOf(await stage.ask('POST', `/own-numbers/${await claim('+966135580001')}/approve`))).to.equal(
        '409 OWN_DID_NUMBER_UNAVAILABLE',
      );
    });

    it('that do not exist are not found', async () => {
      const path = `/own-numbers/${newId()}`;
      expect(codeOf(await stage.ask('GET', path))).to.equal('404 NOT_FOUND');
      expect(codeOf(await stage.ask('POST', `${path}/approve`))).to.equal('404 NOT_FOUND');
      expect(codeOf(await stage.ask('GET', `${path}/documents/${newId()}`))).to.equal('404 NOT_FOUND');
    });
  });

  describe('porting requests', () => {
    const submitted = async (number: string): Promise<string> => {
      const { porting } = stage.management.numbering;
      const details = {
        ...{ numbers: [number], carrier: 'Other', account_name: 'Reem', account_number: null },
        ...{ notes: null, wanted_at: null },
      };
      const { id } = await porting.create(details, owner());
      await porting.addDocument(owner(), id, 'authorization', { bytes: PDF, name: 'my letter.pdf' });
      await porting.submit(owner(), id);
      return id;
    };

    it('go through their steps, and their documents are downloads', async () => {
      const id = await submitted('+966135570001');
      const path = `/porting-requests/${id}`;
      expect((await list('/porting-requests?status=submitted')).map((row) => row.id)).to.deep.equal([id]);
      const read = await stage.done('GET', path);
      expect(read).to.include({ status: 'submitted', ...owned() });
      const [document] = read.documents as { id: string }[];
      const file = await stage.ask('GET', `${path}/documents/${String(document?.id)}`);
      expect([file.text, file.headers.get('content-disposition'), file.headers.get('content-type')]).to.deep.equal([
        ...[PDF.toString(), 'attachment; filename="my_letter.pdf"', 'application/octet-stream'],
      ]);
      expect(codeOf(await stage.ask('GET', `${path}/documents/${newId()}`))).to.equal('404 NOT_FOUND');
      expect(await stage.done('POST', `${path}/review`)).to.include({ status: 'in_review' });
      expect(codeOf(await stage.ask('POST', `${path}/schedule`, { at: 'soon' }))).to.equal('400 VALIDATION_ERROR');
      const at = '2027-01-02T09:00:00+03:00';
      expect(await stage.done('POST', `${path}/schedule`, { at })).to.include({
        scheduled_at: '2027-01-02T06:00:00.000Z',
      });
      const completed = await stage.done('POST', `${path}/complete`);
      expect((completed.history as unknown[]).length).to.be.greaterThan(3);
      expect((await stage.stores.inventory.find('+966135570001'))?.state).to.equal('assigned');
      expect(await stage.audited('/v1/admin/porting-requests/:id/complete')).to.include(owned());
      for (const [step, body] of [
        ['review', {}],
        ['schedule', { at }],
        ['complete', {}],
        ['reject', { reason: 'x' }],
      ] as const) {
        expect(codeOf(await stage.ask('POST', `${path}/${step}`, body))).to.equal('409 PORTING_INVALID_STATE');
      }
    });

    it('are rejected with a reason, and not found if they do not exist', async () => {
      const id = await submitted('+966135570002');
      expect(codeOf(await stage.ask('POST', `/porting-requests/${id}/reject`))).to.equal('400 VALIDATION_ERROR');
      const rejected = await stage.done('POST', `/porting-requests/${id}/reject`, { reason: 'Not yours' });
      expect(rejected).to.include({ status: 'rejected', reason: 'Not yours' });
      expect(codeOf(await stage.ask('GET', `/porting-requests/${newId()}`))).to.equal('404 PORTING_NOT_FOUND');
      expect(codeOf(await stage.ask('POST', `/porting-requests/${newId()}/review`))).to.equal('404 PORTING_NOT_FOUND');
    });
  });

  it('features are turned on and off for an organization', async () => {
    const of = async (path: string): Promise<Record<string, unknown> | undefined> =>
      (await list(path)).find(({ flag }) => flag === 'verify');
    const mine = `/flags?organization_id=${ground.organizationId}`;
    expect(await of('/flags')).to.deep.equal({ flag: 'verify', on: true, organization: null, environment: true });
    await stage.done('PUT', '/flags/verify', { organization_id: ground.organizationId, on: false });
    expect(await of(mine)).to.include({ on: false, organization: false });
    const row = await stage.audited('/v1/admin/flags/:flag');
    expect(row?.organization_id).to.equal(ground.organizationId);
    expect(row?.details).to.deep.include({ flag: 'verify', before: null, after: false });
    await stage.done('PUT', '/flags/verify', { organization_id: ground.organizationId, on: null });
    expect(await of(mine)).to.include({ on: true, organization: null });
    const set = (flag: string, organization_id: string) =>
      stage.ask('PUT', `/flags/${flag}`, { organization_id, on: true });
    expect(codeOf(await set('no_flag', ground.organizationId))).to.equal('404 NOT_FOUND');
    expect(codeOf(await set('verify', newId()))).to.equal('404 NOT_FOUND');
    expect(codeOf(await stage.ask('GET', `/flags?organization_id=${newId()}`))).to.equal('404 NOT_FOUND');
  });

  it('engines are added, drained, resumed and removed, and their passwords are nowhere', async () => {
    const engine = {
      name: 'east',
      kind: 'freeswitch',
      address: '192.0.2.7:8021',
      password: 'engine-password',
      sip: '192.0.2.7',
    };
    const added = await stage.done('POST', '/engines', engine);
    expect(added).to.include({ name: 'east', kind: 'freeswitch', sip: '192.0.2.7:5060', draining: false });
    expect(added.secret).to.be.a('string');
    expect(codeOf(await stage.ask('POST', '/engines', engine))).to.equal('400 VALIDATION_ERROR');
    expect(await stage.done('POST', '/engines/east/drain')).to.include({ draining: true, takes_calls: false });
    expect(await stage.done('POST', '/engines/east/resume')).to.include({ draining: false });
    const shown = await stage.ask('GET', '/engines');
    expect(shown.text).to.contain('east').and.not.contain('engine-password').and.not.contain(String(added.secret));
    expect(JSON.stringify(await stage.audited('/v1/admin/engines'))).to.not.contain('engine-password');
    expect(codeOf(await stage.ask('DELETE', '/engines/east'))).to.equal('204');
    for (const [method, path] of [
      ['DELETE', '/engines/east'],
      ['POST', '/engines/east/drain'],
      ['POST', '/engines/east/resume'],
    ] as const) {
      expect(codeOf(await stage.ask(method, path))).to.equal('404 NOT_FOUND');
    }
  });

  it('an engine with calls is not removed', async () => {
    await stage.done('POST', '/engines', { name: 'busy', address: 'http://192.0.2.8:8088', password: 'x' });
    const [engine] = (await list('/engines')).filter(({ name }) => name === 'busy');
    const call = callRow(ground, { engine_id: String(engine?.id), status: 'answered' });
    await insertRows(database.db, 'calls', [call]);
    expect(codeOf(await stage.ask('DELETE', '/engines/busy'))).to.equal('400 VALIDATION_ERROR');
    await database.db.query(`UPDATE calls SET status = 'ended' WHERE id = $1`, [call.id]);
    expect(codeOf(await stage.ask('DELETE', '/engines/busy'))).to.equal('204');
  });

  it('trunks are added, listed without their passwords, and removed', async () => {
    const credentials = { username: 'hatif', password: 'trunk-password' };
    const trunk = { name: 'carrier', uri: 'sip:192.0.2.9:5070;transport=tcp', credentials, probed: false };
    expect(await stage.done('POST', '/trunks', trunk)).to.deep.include({
      ...{
        name: 'carrier',
        uri: 'sip:192.0.2.9:5070;transport=tcp',
        username: 'hatif',
        inbound_addresses: ['192.0.2.9'],
      },
      ...{ is_default: true, state: 'not_probed', engines: [] },
    });
    expect(codeOf(await stage.ask('POST', '/trunks', trunk))).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await stage.ask('POST', '/trunks', { name: 'x', uri: 'http://x' }))).to.equal('400 VALIDATION_ERROR');
    const shown = await stage.ask('GET', '/trunks');
    expect(shown.text).to.contain('carrier').and.not.contain('trunk-password');
    expect(JSON.stringify(await stage.audited('/v1/admin/trunks'))).to.not.contain('trunk-password');
    expect(codeOf(await stage.ask('DELETE', '/trunks/carrier'))).to.equal('204');
    expect(codeOf(await stage.ask('DELETE', '/trunks/carrier'))).to.equal('404 NOT_FOUND');
  });

  describe('payments', () => {
    const begin = async (): Promise<string> => {
      const payer = { ...ground, keyId: newId(), requestId: newId() };
      const wanted = { of: { amount: 100_000_000 }, method: 'bank_transfer', returnUrl: null } as const;
      return (await stage.paying.payments.create(wanted, payer)).reference;
    };

    it('are confirmed once, and refunded', async () => {
      const reference = await begin();
      expect((await list('/payments?status=pending'))[0]).to.include({ reference, total_sar: 115, ...owned() });
      const confirm = () => stage.done('POST', `/payments/${reference.toLowerCase()}/confirm`, { paid_sar: 115 });
      expect(await confirm()).to.deep.nested.include({ booked: true, 'payment.status': 'succeeded' });
      expect(await confirm()).to.include({ booked: false });
      expect(await stage.audited('/v1/admin/payments/:reference/confirm')).to.include(owned());
      const refund = (total_sar: number | null) =>
        stage.ask('POST', `/payments/${reference}/refund`, { total_sar, reference: 'R-1', reason: 'paid twice' });
      expect((await refund(23)).body).to.deep.nested.include({ booked: true, 'payment.refunded_sar': 23 });
      expect((await refund(23)).body).to.include({ booked: false });
    });

    it('of another amount are not booked', async () => {
      const confirm = await stage.ask('POST', `/payments/${await begin()}/confirm`, { paid_sar: 114.99 });
      expect(codeOf(confirm)).to.equal('422 PAYMENT_AMOUNT_MISMATCH');
    });

    it('are refused with a reason, and not found if they do not exist', async () => {
      const refused = await stage.done('POST', `/payments/${await begin()}/refuse`, { reason: 'No transfer came' });
      expect(refused).to.include({ status: 'failed', reason: 'No transfer came' });
      for (const [step, body] of [
        ['confirm', { paid_sar: 1 }],
        ['refuse', { reason: 'x' }],
        ['refund', { reference: 'R', reason: 'x' }],
      ] as const) {
        expect(codeOf(await stage.ask('POST', `/payments/HTUNKNOWN/${step}`, body))).to.equal('404 PAYMENT_NOT_FOUND');
      }
    });
  });

  it('rate plans get versions, and are assigned to organizations', async () => {
    const rates = [{ direction: 'outbound', prefix: '966', per_minute_sar: 0.25 }];
    const number_fees = [{ kind: 'mobile', monthly_sar: 30 }];
    const path = '/rate-plans/standard';
    expect(codeOf(await stage.ask('GET', path))).to.equal('404 RATE_PLAN_NOT_FOUND');
    const added = await stage.done('POST', `${path}/versions`, { rates, number_fees });
    expect(added).to.include({ plan: 'standard', version: 1 });
    expect((await list('/rate-plans')).map(({ name }) => name)).to.include('standard');
    expect((await stage.done('GET', path)).newest).to.deep.equal(added);
    expect(added.rates).to.deep.equal([
      {
        direction: 'outbound',
        kind: null,
        prefix: '966',
        per_minute_sar: 0.25,
        increment_seconds: 60,
        minimum_seconds: 0,
      },
    ]);
    const twice = await stage.ask('POST', `${path}/versions`, {
      rates: [...rates, ...rates],
      valid_from: '2027-02-01T00:00:00Z',
    });
    expect(codeOf(twice)).to.equal('400 VALIDATION_ERROR');
    const assign = (plan: string, organization_id: string) =>
      stage.ask('POST', `/rate-plans/${plan}/assign`, { organization_id });
    expect((await assign('standard', ground.organizationId)).status).to.equal(200);
    expect((await stage.billing.plans.current(ground.organizationId)).plan.name).to.equal('standard');
    expect(await stage.audited('/v1/admin/rate-plans/:plan/assign')).to.include({
      organization_id: ground.organizationId,
    });
    expect(codeOf(await assign('none', ground.organizationId))).to.equal('404 RATE_PLAN_NOT_FOUND');
    expect(codeOf(await assign('standard', newId()))).to.equal('404 NOT_FOUND');
  });

  it('webhooks that were given up are listed for all organizations, and sent again', async () => {
    const dead = async (status: 'enabled' | 'disabled'): Promise<string> => {
      const endpoint = endpointRow(ground, { status });
      const call = callRow(ground);
      const event = eventOf(call, { type: 'call.initiated' });
      const id = newId();
      await insertRows(database.db, 'webhook_endpoints', [endpoint]);
      await insertRows(database.db, 'calls', [call]);
      await insertRows(database.db, 'events', [event]);
      await database.db.query(
        `INSERT INTO webhook_deliveries
           (id, event_id, endpoint_id, lane, project_id, call_id, sequence, status, attempts, next_attempt_at, last_error)
         VALUES ($1, $2, $3::uuid, $3::uuid::text, $4, $5, 1, 'dead', 9, now(), 'http_503')`,
        [id, event.id, endpoint.id, ground.projectId, call.id],
      );
      return id;
    };
    const [off, on] = [await dead('disabled'), await dead('enabled')];
    expect((await list('/dead-letters')).map(({ id }) => id)).to.deep.equal([on, off]);
    const first = (await stage.done('GET', '/dead-letters?limit=1')) as unknown as Listed;
    const next = await list(`/dead-letters?limit=1&cursor=${String(first.next_cursor)}`);
    expect(next[0]).to.include({ id: off, last_error: 'http_503', status: 'dead', ...owned() });
    const again = await stage.ask('POST', `/dead-letters/${on}/redeliver`);
    expect([again.status, again.body?.status]).to.deep.equal([202, 'pending']);
    expect(await stage.audited('/v1/admin/dead-letters/:id/redeliver')).to.include(owned());
    expect((await list('/dead-letters')).map(({ id }) => id)).to.deep.equal([off]);
    expect(codeOf(await stage.ask('POST', `/dead-letters/${off}/redeliver`))).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await stage.ask('POST', `/dead-letters/${newId()}/redeliver`))).to.equal('404 WEBHOOK_NOT_FOUND');
  });
});
