import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import { productionRequestRoutes } from '../../../api/routes/accounts/production-requests.js';
import { productionReviewRoutes } from '../../../api/routes/administration/production-requests.js';
import { newId } from '../../../core/model/ids.js';
import type { Answer } from '../../support/api.js';
import { documentProblems } from '../../support/judges/route-contract.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { codeOf, detailsOf } from '../../support/judges/outcome.js';
import { productionEach, ProductionStage, type Person } from '../../support/stages/accounts/production-stage.js';

const PDF = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n');

describe('Production access', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: ProductionStage;
  let owner: Person;

  productionEach((given) => ({ database, stage, owner } = given));

  const PATH = '/v1/production-requests';
  const step = (id: string, name: string, by = owner) => by.ask('POST', `${PATH}/${id}/${name}`, {});
  const tierOf = async (of = owner): Promise<unknown> =>
    (
      await database.db.query<{ account_kind: string }>(`SELECT account_kind FROM organizations WHERE id = $1`, [
        of.user.organization.id,
      ])
    )[0]?.account_kind;
  const mails = () =>
    database.db.query<{ recipient: string; locale: string; data: object }>(
      `DELETE FROM owner_mails WHERE kind = 'production_decided' RETURNING recipient, locale, data`,
    );
  const codes = async (...answers: readonly Promise<Answer>[]): Promise<string[]> =>
    (await Promise.all(answers)).map(codeOf).sort();
  /** A request of an owner with a verified identity. */
  async function submitted(by = owner): Promise<string> {
    await by.identify(stage.peer);
    const id = await by.draft();
    const answer = await by.submit(id);
    expect(answer.status, answer.text).to.equal(200);
    return id;
  }
  async function inReview(by = owner): Promise<string> {
    const id = await submitted(by);
    expect((await stage.admin('POST', `/${id}/review`)).body).to.include({ status: 'in_review' });
    return id;
  }
  function upload(id: string, bytes: Buffer = PDF, by = owner, kind = 'commercial_registration'): Promise<Answer> {
    const form = new FormData();
    form.set('kind', kind);
    form.set('file', new Blob([new Uint8Array(bytes)]), 'سجل تجاري.pdf');
    return by.send('POST', `${PATH}/${id}/documents`, { raw: form });
  }

  it('describes its routes', () => {
    const routes = [
      ...productionRequestRoutes({ access: null as never }),
      ...productionReviewRoutes({ review: null as never }),
    ];
    expect(documentProblems(openApiDocument({ routes, version: '1', serverUrl: '' }), routes)).to.deep.equal([]);
  });

  it('leads from a draft to a production account, and a mail to the owner', async () => {
    const answer = await owner.create({ vat_number: null });
    expect(answer.status, answer.text).to.equal(201);
    const id = String(answer.body?.id);
    expect(answer.body).to.deep.include({ status: 'draft', vat_number: null, documents: [], submitted_at: null });
    const changed = await owner.ask('PATCH', `${PATH}/${id}`, { vat_number: '310123456700003', expected_calls: 5 });
    expect(changed.body).to.deep.include({
      vat_number: '310123456700003',
      expected_calls: 5,
      company: 'Riyadh Dental Co.',
    });
    expect((await upload(id)).status).to.equal(201);
    expect(codeOf(await owner.submit(id))).to.equal('403 NATIONALID_REQUIRED');
    await owner.identify(stage.peer);
    expect((await owner.submit(id)).body).to.include({ status: 'submitted' });
    expect(await tierOf()).to.equal('sandbox');
    expect((await stage.admin('POST', `/${id}/review`)).body).to.include({ status: 'in_review' });
    expect(await mails()).to.deep.equal([]);
    expect((await stage.admin('POST', `/${id}/approve`)).body).to.include({ status: 'approved' });
    expect(await tierOf()).to.equal('production');
    const { email } = owner.user.row;
    const data = { organization: 'Riyadh Dental', decision: 'approved', reason: null };
    expect(await mails()).to.deep.equal([{ recipient: email, locale: 'ar', data }]);
    expect((await owner.ask('GET', `${PATH}/${id}`)).body).to.include({ status: 'approved' });
    expect(codeOf(await owner.create())).to.equal('409 PRODUCTION_REQUEST_INVALID_STATE');
  });

  it('has one open request at a time', async () => {
    const id = await owner.draft();
    const again = await owner.create();
    expect(codeOf(again)).to.equal('409 PRODUCTION_REQUEST_EXISTS');
    expect(String(again.body?.message)).to.include(id);
    await owner.identify(stage.peer);
    expect((await owner.submit(id)).status).to.equal(200);
    expect(codeOf(await owner.create())).to.equal('409 PRODUCTION_ACCESS_ALREADY_REQUESTED');
    expect(codeOf(await owner.submit(id))).to.equal('409 PRODUCTION_ACCESS_ALREADY_REQUESTED');
    expect((await step(id, 'withdraw')).body).to.include({ status: 'withdrawn' });
    await owner.draft();
  });

  it('decides once whatever happens at the same moment', async () => {
    expect(await codes(owner.create(), owner.create(), owner.create())).to.deep.equal([
      '201',
      '409 PRODUCTION_REQUEST_EXISTS',
      '409 PRODUCTION_REQUEST_EXISTS',
    ]);
    const [row] = await database.db.query<{ id: string }>(
      `SELECT id FROM production_requests WHERE organization_id = $1`,
      [owner.user.organization.id],
    );
    const id = row?.id ?? '';
    await owner.identify(stage.peer);
    expect(await codes(owner.submit(id), owner.submit(id), owner.submit(id))).to.deep.equal([
      '200',
      '409 PRODUCTION_ACCESS_ALREADY_REQUESTED',
      '409 PRODUCTION_ACCESS_ALREADY_REQUESTED',
    ]);
    await stage.admin('POST', `/${id}/review`);
    const reject = stage.admin('POST', `/${id}/reject`, { reason: 'Not now.' });
    const decided = await Promise.all([stage.admin('POST', `/${id}/approve`), reject, step(id, 'withdraw')]);
    const winners = decided.filter(({ status }) => status === 200);
    expect(winners).to.have.length(1);
    expect(decided.map(codeOf).filter((code) => code !== '200')).to.deep.equal([
      '409 PRODUCTION_REQUEST_INVALID_STATE',
      '409 PRODUCTION_REQUEST_INVALID_STATE',
    ]);
    const status = winners[0]?.body?.status;
    expect(await tierOf()).to.equal(status === 'approved' ? 'production' : 'sandbox');
    expect(await mails()).to.have.length(status === 'withdrawn' ? 0 : 1);
  });

  it('takes each step from the right statuses only', async () => {
    const refused = '409 PRODUCTION_REQUEST_INVALID_STATE';
    const reject = (id: string) => stage.admin('POST', `/${id}/reject`, { reason: 'no' });
    const draft = await owner.draft();
    for (const name of ['review', 'approve']) {
      expect(codeOf(await stage.admin('POST', `/${draft}/${name}`)), name).to.equal(refused);
    }
    expect(codeOf(await reject(draft))).to.equal(refused);
    await step(draft, 'withdraw');
    const id = await submitted();
    expect(codeOf(await stage.admin('POST', `/${id}/approve`))).to.equal(refused);
    expect(codeOf(await stage.admin('POST', `/${id}/waive-identity`))).to.equal(refused);
    expect(codeOf(await owner.ask('PATCH', `${PATH}/${id}`, { company: 'Other' }))).to.equal(refused);
    expect((await upload(id)).status, 'documents can be added until the decision').to.equal(201);
    expect((await reject(id)).body).to.include({ status: 'rejected', reason: 'no' });
    for (const ended of [draft, id]) {
      for (const answer of [
        step(ended, 'withdraw'),
        owner.submit(ended),
        upload(ended),
        stage.admin('POST', `/${ended}/review`),
        stage.admin('POST', `/${ended}/approve`),
        reject(ended),
      ]) {
        expect(codeOf(await answer)).to.equal(refused);
      }
    }
  });

  it('tells the owners and the requester why a request was rejected, and lets them try again', async () => {
    const of = owner.user;
    const admin = await stage.signedIn(await stage.accounts.signUp({ of, user: { role: 'admin', locale: 'en' } }));
    const gone = await stage.accounts.signUp({ of, user: { role: 'owner', disabled_at: new Date() } });
    await owner.identify(stage.peer);
    const id = await admin.draft();
    await admin.submit(id);
    const reason = 'The registration has expired.';
    await stage.admin('POST', `/${id}/reject`, { reason });
    const sent = await mails();
    expect(sent.map(({ recipient, locale }) => `${recipient} ${locale}`)).to.have.members([
      `${of.row.email} ar`,
      `${admin.user.row.email} en`,
    ]);
    expect(sent.map(({ recipient }) => recipient)).to.not.include(gone.row.email);
    expect(sent[0]?.data).to.deep.include({ decision: 'rejected', reason });
    expect(codeOf(await stage.admin('POST', `/${id}/reject`, {}))).to.equal('400 VALIDATION_ERROR');
    expect((await owner.create()).status).to.equal(201);
  });

  it('needs the identity of an owner, unless the operator lifts it', async () => {
    const of = owner.user;
    const admin = await stage.signedIn(await stage.accounts.signUp({ of, user: { role: 'admin' } }));
    await admin.identify(stage.peer);
    const id = await admin.draft();
    expect(codeOf(await admin.submit(id)), 'an admin is no owner').to.equal('403 NATIONALID_REQUIRED');
    expect((await stage.admin('POST', `/${id}/waive-identity`)).body).to.include({ identity_waived: true });
    expect((await admin.submit(id)).body).to.include({ status: 'submitted' });

    const off = await ProductionStage.open(database, { NATIONAL_ID: 'off' });
    try {
      const person = await off.owner();
      expect((await person.submit(await person.draft())).body).to.include({ status: 'submitted' });
    } finally {
      await off.close();
    }
  });

  it('needs a confirmed e-mail address', async () => {
    const unconfirmed = await stage.owner({ email_confirmed_at: null });
    expect(codeOf(await unconfirmed.create())).to.equal('403 EMAIL_NOT_CONFIRMED');
    const id = await owner.draft();
    await owner.identify(stage.peer);
    await database.db.query(`UPDATE users SET email_confirmed_at = NULL WHERE id = $1`, [owner.user.row.id]);
    expect(codeOf(await owner.submit(id))).to.equal('403 EMAIL_NOT_CONFIRMED');
  });

  it('refuses bad details with the fields, and changes nothing', async () => {
    const bad = { company: ' ', commercial_registration: '12', vat_number: '1', use: '', expected_calls: 0 };
    const answer = await owner.create(bad);
    expect(codeOf(answer)).to.equal('400 VALIDATION_ERROR');
    expect(detailsOf(answer).map(({ path }) => path)).to.have.members(Object.keys(bad));
    expect((await owner.ask('GET', PATH)).body?.data).to.deep.equal([]);
    const id = await owner.draft();
    expect(codeOf(await upload(id, Buffer.from('MZ')))).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await upload(id, PDF, owner, 'authorization'))).to.equal('400 VALIDATION_ERROR');
  });

  it('keeps documents with a draft, which administrators download', async () => {
    const id = await owner.draft();
    const { body } = await upload(id);
    const [document] = body?.documents as { id: string; name: string }[];
    expect(document).to.include({
      kind: 'commercial_registration',
      name: 'سجل تجاري.pdf',
      media_type: 'application/pdf',
    });
    const file = await stage.admin('GET', `/${id}/documents/${document!.id}`);
    expect(file.text).to.equal(PDF.toString());
    expect(file.headers.get('content-disposition')).to.match(/^attachment; filename="[\w.-]+\.pdf"$/);
    expect(codeOf(await stage.admin('GET', `/${id}/documents/${newId()}`))).to.equal('404 NOT_FOUND');
    expect((await owner.ask('DELETE', `${PATH}/${id}/documents/${document!.id}`)).status).to.equal(204);
    expect(codeOf(await owner.ask('DELETE', `${PATH}/${id}/documents/${document!.id}`))).to.equal('404 NOT_FOUND');
    expect((await owner.ask('GET', `${PATH}/${id}`)).body?.documents).to.deep.equal([]);
  });

  it('belongs to the organization, and to those who may request it', async () => {
    const id = await owner.draft();
    const stranger = await stage.owner();
    const unknown = '404 PRODUCTION_REQUEST_NOT_FOUND';
    for (const path of [`${PATH}/${id}`, `${PATH}/no-id`]) {
      expect(codeOf(await stranger.ask('GET', path))).to.equal(unknown);
    }
    expect(codeOf(await stranger.ask('PATCH', `${PATH}/${id}`, { company: 'Mine' }))).to.equal(unknown);
    for (const name of ['submit', 'withdraw']) expect(codeOf(await step(id, name, stranger))).to.equal(unknown);
    expect(codeOf(await upload(id, PDF, stranger))).to.equal(unknown);
    expect((await stranger.ask('GET', PATH)).body?.data).to.deep.equal([]);
    for (const role of ['developer', 'supervisor', 'agent', 'finance', 'viewer'] as const) {
      const member = await stage.signedIn(await stage.accounts.signUp({ of: owner.user, user: { role } }));
      for (const answer of [member.create(), member.ask('GET', `${PATH}/${id}`), member.submit(id)]) {
        expect(codeOf(await answer), role).to.equal('403 INSUFFICIENT_ROLE');
      }
    }
    const { key } = await stage.accounts.api.key({ projectId: owner.user.projectIds[0]! });
    expect(codeOf(await stage.accounts.api.request('GET', PATH, { key }))).to.equal('403 SESSION_REQUIRED');
    expect(codeOf(await stage.admin('POST', `/${newId()}/approve`))).to.equal(unknown);
  });

  it('lists by status, page by page', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.unshift(await owner.draft());
      if (n < 2) await step(ids[0]!, 'withdraw');
    }
    const first = (await owner.ask('GET', `${PATH}?limit=2`)).body!;
    expect((first.data as { id: string }[]).map(({ id }) => id)).to.deep.equal(ids.slice(0, 2));
    const next = (await owner.ask('GET', `${PATH}?limit=2&cursor=${String(first.next_cursor)}`)).body!;
    expect((next.data as { id: string }[]).map(({ id }) => id)).to.deep.equal(ids.slice(2));
    const drafts = (await owner.ask('GET', `${PATH}?status=draft`)).body?.data as { id: string }[];
    expect(drafts.map(({ id }) => id)).to.deep.equal([ids[0]]);
    const listed = (await stage.admin('GET', '?status=draft&limit=100')).body?.data as { id: string }[];
    expect(listed.map(({ id }) => id)).to.include(ids[0]);
  });

  it('becomes nothing in between if a mail cannot be written', async () => {
    const id = await inReview();
    await database.db.query(
      `ALTER TABLE owner_mails ADD CONSTRAINT refuse CHECK (kind <> 'production_decided') NOT VALID`,
    );
    try {
      expect(codeOf(await stage.admin('POST', `/${id}/approve`))).to.equal('500 INTERNAL_ERROR');
    } finally {
      await database.db.query(`ALTER TABLE owner_mails DROP CONSTRAINT refuse`);
    }
    expect(await tierOf()).to.equal('sandbox');
    expect((await owner.ask('GET', `${PATH}/${id}`)).body).to.include({ status: 'in_review' });
    expect((await stage.admin('POST', `/${id}/approve`)).status).to.equal(200);
    expect(await tierOf()).to.equal('production');
  });
});
