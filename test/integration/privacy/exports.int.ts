import { expect } from 'chai';
import type { Ground } from '../../support/rows/rows.js';
import { newId } from '../../../core/model/ids.js';
import { codeOf } from '../../support/judges/outcome.js';
import { newPerson } from '../../support/rows/new-person.js';
import { insertPerson } from '../../support/rows/person.js';
import { PrivacyStage } from '../../support/stages/privacy/privacy-stage.js';
import type { TestOrganization } from '../../support/stages/accounts/organization-stage.js';

const DAY_MS = 86_400_000;
describe('Exports of personal data', function () {
  this.timeout(60_000);
  let stage: PrivacyStage;
  let home: TestOrganization;
  let ground: Ground;

  before(async () => {
    stage = await PrivacyStage.open();
  });
  after(() => stage.close());
  beforeEach(async () => {
    home = await stage.members.organization();
    ground = await stage.groundOf(home);
  });

  it('have calls, recordings and everything else of a telephone number', async () => {
    const who = newPerson();
    const { call, storageKeys } = await insertPerson(stage.db, ground, who);
    await stage.store(storageKeys[0], 'the voice');
    await stage.store(storageKeys[1], 'the message');
    const done = await stage.done('exports', home, 'phone', who.phone.replace('+966', '0'));
    expect(done).to.include({ status: 'completed', problem: null, kept_until: null });
    expect(done.subject.masked).to.contain('••••').and.not.contain(who.phone);
    const counted = Object.fromEntries(done.report.map(({ category, exported }) => [category, exported]));
    expect(counted).to.deep.equal({
      ...{ calls: 1, recordings: 2, verifications: 1, voice_auth_challenges: 1, virtual_numbers: 1 },
      ...{ blocked_callers: 1, allowed_callers: 1, contacts: 1, opt_outs: 1, consent_changes: 1 },
      ...{ messages: 2, message_threads: 1 },
    });
    const members = await stage.archive(home.owner, `/v1/privacy/exports/${done.id}/archive`);
    const [shown] = members.get('data/calls/000001.json') as [Record<string, unknown>];
    expect(shown).to.include({ call_id: call.id, customer_number: who.phone, caller_id_name: 'Reem' });
    expect(shown.metadata).to.deep.equal(call.metadata);
    expect(JSON.stringify(shown.transcripts)).to.contain('my number is');
    expect([...members.values()]).to.include.members(['the voice', 'the message']);
    expect(JSON.stringify(members.get('data/verifications/000001.json'))).to.contain('"attempts"');
    const [contact] = members.get('data/contacts/000001.json') as [Record<string, unknown>];
    expect(contact).to.include({ phone: who.phone, name_en: 'Reem' }).and.to.not.have.property('words');
    expect(contact.groups).to.have.length(1);
    expect(members.get('about.txt')).to.contain('هاتف').and.not.contain(who.phone);
    expect(members.get('report.json')).to.be.an('array');
    const text = JSON.stringify([...members]);
    for (const secret of ['password', 'signing_secret', '"hash"', who.email]) {
      // The person's number is known, the address is not: another request names it.
      if (secret !== who.email) expect(text).to.not.contain(secret);
    }
  });

  it('find a person by an address, and by an identifier of the organization’s own', async () => {
    const who = newPerson();
    const { call } = await insertPerson(stage.db, ground, who);
    const byMail = await stage.done('exports', home, 'email', who.email.toUpperCase());
    expect(byMail.report.map(({ category }) => category)).to.have.members([
      'consent_changes',
      'consents',
      'contacts',
      'verifications',
      'voicemail_boxes',
      'voicemails',
    ]);
    const byId = await stage.done('exports', home, 'external_id', who.externalId);
    const members = await stage.archive(home.owner, `/v1/privacy/exports/${byId.id}/archive`);
    expect((members.get('data/calls/000001.json') as { call_id: string }[])[0]?.call_id).to.equal(call.id);
    expect(byId.report.map(({ category }) => category)).to.include.members(['calls', 'contacts', 'virtual_numbers']);
  });

  it('count recordings whose files are gone as found only', async () => {
    const who = newPerson();
    await insertPerson(stage.db, ground, who);
    const { report } = await stage.done('exports', home, 'phone', who.phone);
    expect(report.find(({ category }) => category === 'recordings')).to.include({ found: 2, exported: 0 });
  });

  it('have profile, sessions and acts of a member, without secrets', async () => {
    const member = await stage.members.member(home.organization, { role: 'developer', name: 'Huda' });
    await stage.db.query(`UPDATE users SET password_hash = 'argon2-secret' WHERE id = $1`, [member.user.id]);
    const done = await stage.done('exports', home, 'user', member.user.id);
    const members = await stage.archive(home.owner, `/v1/privacy/exports/${done.id}/archive`);
    const [shown] = members.get('data/users/000001.json') as [Record<string, unknown>];
    expect(shown).to.include({ email: member.user.email, name: 'Huda' });
    expect(members.get('data/sessions/000001.json')).to.have.length(1);
    expect(JSON.stringify([...members])).to.not.contain('argon2-secret');
  });

  it('hold nothing of other organizations', async () => {
    const who = newPerson();
    const other = await stage.members.organization();
    await insertPerson(stage.db, await stage.groundOf(other), who);
    const done = await stage.done('exports', home, 'phone', who.phone);
    expect(done).to.deep.include({ status: 'completed', report: [] });
    expect([...(await stage.archive(home.owner, `/v1/privacy/exports/${done.id}/archive`)).keys()]).to.deep.equal([
      'about.txt',
      'report.json',
    ]);
    const stranger = await stage.members.as(other.owner, 'GET', `/v1/privacy/exports/${done.id}`);
    expect(codeOf(stranger)).to.equal('404 NOT_FOUND');
    const file = await stage.members.as(other.owner, 'GET', `/v1/privacy/exports/${done.id}/archive`);
    expect(codeOf(file)).to.equal('404 NOT_FOUND');
  });

  it('are not ready at first, and expire', async () => {
    const { body } = await stage.ask('exports', home.owner, 'email', 'nobody@customer.example');
    const path = `/v1/privacy/exports/${String(body?.id)}`;
    const get = (query = '') => stage.members.as(home.owner, 'GET', `${path}/archive${query}`);
    expect(codeOf(await get())).to.equal('409 ARCHIVE_NOT_READY');
    await stage.work();
    expect((await get()).status).to.equal(200);
    expect(codeOf(await get('?part=2'))).to.equal('404 NOT_FOUND');
    expect(codeOf(await get('?part=0'))).to.equal('400 VALIDATION_ERROR');
    const [row] = await stage.db.query<{ parts: { storage_key: string }[] }>(
      'SELECT parts FROM privacy_jobs WHERE id = $1',
      [body?.id],
    );
    const key = row?.parts[0]?.storage_key ?? '';
    expect(await stage.isStored(key)).to.equal(true);
    await stage.clock.advance(8 * DAY_MS);
    await stage.work();
    expect(await stage.isStored(key)).to.equal(false);
    expect(codeOf(await get())).to.equal('410 ARCHIVE_EXPIRED');
    expect((await stage.read('exports', home.owner, String(body?.id))).archive).to.equal(null);
  });

  it('are audited when they are asked for and downloaded, without saying who it was', async () => {
    const who = newPerson();
    const done = await stage.done('exports', home, 'phone', who.phone);
    await stage.archive(home.owner, `/v1/privacy/exports/${done.id}/archive`);
    await stage.members.api.audit.flush();
    const rows = await stage.db.query<{ route: string }>(
      `SELECT * FROM audit_log WHERE organization_id = $1 ORDER BY id`,
      [home.organization.id],
    );
    expect(rows.map(({ route }) => route)).to.include.members([
      '/v1/privacy/exports',
      '/v1/privacy/exports/:id/archive',
    ]);
    expect(JSON.stringify(rows)).to.not.contain(who.phone);
    const [job] = await stage.db.query('SELECT * FROM privacy_jobs WHERE id = $1', [done.id]);
    expect(job).to.include({ subject: null });
    expect(JSON.stringify(job)).to.not.contain(who.phone);
  });

  it('are for owners and admins of all projects, and for no key', async () => {
    const { project, organization } = home;
    const body = { subject: { type: 'email', value: 'a@customer.example' } };
    for (const kind of ['live', 'sandbox'] as const) {
      const { key } = await stage.members.api.key({ projectId: project.id, kind });
      for (const [method, path] of [
        ['POST', '/v1/privacy/exports'],
        ['GET', '/v1/privacy/exports'],
        ['POST', '/v1/privacy/erasures'],
        ['GET', '/v1/privacy/erasures'],
      ] as const) {
        const options = { key, ...(method === 'POST' && { json: body }) };
        const answer = await stage.members.api.request(method, path, options);
        expect(codeOf(answer), path).to.equal('403 SESSION_REQUIRED');
      }
    }
    for (const role of ['developer', 'supervisor', 'finance', 'viewer'] as const) {
      const member = await stage.members.member(organization, { role });
      const answer = await stage.members.as(member, 'POST', '/v1/privacy/exports', body);
      expect(codeOf(answer), role).to.equal('403 INSUFFICIENT_ROLE');
    }
    const limited = await stage.members.member(organization, { role: 'admin', project_ids: [project.id] });
    for (const method of ['GET', 'POST']) {
      const answer = await stage.members.as(
        limited,
        method,
        '/v1/privacy/exports',
        method === 'POST' ? body : undefined,
      );
      expect(codeOf(answer)).to.equal('403 INSUFFICIENT_ROLE');
    }
    const admin = await stage.members.member(organization, { role: 'admin' });
    expect((await stage.members.as(admin, 'POST', '/v1/privacy/exports', body)).status).to.equal(202);
  });

  it('refuse who cannot be meant, and make nothing', async () => {
    const other = await stage.members.organization();
    const refused = async (type: string, value: unknown): Promise<string> =>
      codeOf(
        await stage.members.as(home.owner, 'POST', '/v1/privacy/exports', {
          subject: { type, value: value as string },
        }),
      );
    expect(await refused('phone', '12')).to.equal('400 INVALID_PHONE_NUMBER');
    for (const [type, value] of [
      ['phone', '911'],
      ['email', 'nobody'],
      ['email', home.owner.user.email],
      ['external_id', ''],
      ['external_id', 'x'.repeat(513)],
      ['user', newId()],
      ['user', other.owner.user.id],
      ['user', 'nonsense'],
      ['name', 'Reem'],
      ['phone', 5],
    ] as const) {
      expect(await refused(type, value), `${type} ${String(value)}`).to.equal('400 VALIDATION_ERROR');
    }
    const { body } = await stage.members.as(home.owner, 'GET', '/v1/privacy/exports');
    expect(body?.data).to.deep.equal([]);
  });

  it('are limited, and listed newest first', async () => {
    for (let made = 0; made < 20; made += 1) {
      const answer = await stage.ask('exports', home.owner, 'email', `a${made}@customer.example`);
      expect(answer.status, answer.text).to.equal(202);
    }
    const more = await stage.ask('exports', home.owner, 'email', 'one-more@customer.example');
    expect(codeOf(more)).to.equal('409 PRIVACY_REQUEST_LIMIT_EXCEEDED');
    const first = await stage.members.as(home.owner, 'GET', '/v1/privacy/exports?limit=15');
    const next = await stage.members.as(
      home.owner,
      'GET',
      `/v1/privacy/exports?limit=15&cursor=${encodeURIComponent(String(first.body?.next_cursor))}`,
    );
    const ids = [...(first.body?.data as { id: string }[]), ...(next.body?.data as { id: string }[])].map(
      ({ id }) => id,
    );
    expect(ids).to.have.length(20);
    expect(ids).to.deep.equal([...ids].sort().reverse());
    // Erasures have a limit of their own.
    expect((await stage.ask('erasures', home.owner, 'email', 'x@customer.example')).status).to.equal(202);
  });
});
