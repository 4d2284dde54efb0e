import { expect } from 'chai';
import { scimProblems } from '../../support/judges/scim.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { mailsTo, SITE } from '../../support/stages/accounts/credentials-stage.js';
import { type SsoStage, type SsoHome, signOnEach } from '../../support/stages/accounts/sso-stage.js';
import { Directory, refused, USER } from '../../support/stages/accounts/directory.js';

describe('Users of a directory', function () {
  this.timeout(60_000);
  let stage: SsoStage;
  let database: TestDatabase;
  let home: SsoHome;
  let scim: Directory;

  signOnEach((...made) => ([stage, home, database] = made));
  beforeEach(async () => {
    scim = await Directory.of(stage, home);
  });

  it('are created, read, replaced and removed', async () => {
    const sent = scim.user({
      emails: [{ value: 'ignored@elsewhere.example', type: 'home' }],
      title: 'Dentist',
      locale: 'ar-SA',
    });
    const made = await scim.ask('POST', '/Users', sent);
    expect(made.status, made.text).to.equal(201);
    expect(made.headers.get('content-type')).to.equal('application/scim+json; charset=utf-8');
    const { id } = made.body as { id: string };
    expect(made.headers.get('location')).to.equal(`${SITE}/scim/v2/Users/${id}`);
    expect(made.body).to.deep.include({
      schemas: [USER],
      userName: sent.userName,
      externalId: sent.externalId,
      name: { givenName: 'Reem', familyName: 'Alharbi', formatted: 'Reem Alharbi' },
      displayName: 'Reem Alharbi',
      emails: [{ value: sent.userName, type: 'work', primary: true }],
      active: true,
      groups: [],
    });
    expect(made.body).to.not.have.property('title');
    expect(made.body?.meta).to.deep.include({ resourceType: 'User', location: `${SITE}/scim/v2/Users/${id}` });
    expect((await scim.ask('GET', `/Users/${id}`)).body).to.deep.equal(made.body);
    const row = await stage.userOf(String(sent.userName));
    expect(row).to.deep.include({
      name: 'Reem Alharbi',
      locale: 'ar',
      role: 'viewer',
      project_ids: null,
      disabled_at: null,
    });
    expect(row?.email_confirmed_at).to.not.equal(null);
    const replaced = await scim.ask('PUT', `/Users/${id}`, { ...sent, displayName: 'Dr. Reem', externalId: 'other' });
    expect(replaced.body).to.include({ displayName: 'Dr. Reem', externalId: 'other' });
    expect((await stage.userOf(String(sent.userName)))?.name).to.equal('Dr. Reem');
    expect((await scim.ask('DELETE', `/Users/${id}`)).status).to.equal(204);
    refused(await scim.ask('GET', `/Users/${id}`), 404, undefined, `the user ${id}`);
    refused(await scim.ask('DELETE', `/Users/${id}`), 404, undefined, 'the user');
    expect(await stage.userOf(String(sent.userName))).to.equal(null);
  });

  it('sign in through the identity provider as who they are', async () => {
    const made = await scim.createUser();
    const answer = await stage.signOn(home, { sub: made.id, email: made.userName });
    expect(answer.status, answer.text).to.equal(303);
    const me = await stage.api.request('GET', '/v1/me', { key: await stage.accessOf(answer) });
    expect(me.body).to.include({ id: made.id, email: made.userName });
  });

  describe('are found', () => {
    it('by userName and externalId, in any case of the name', async () => {
      const made = await scim.createUser();
      const find = (filter: string) => scim.find('Users', filter);
      for (const filter of [
        `userName eq "${made.userName}"`,
        `USERNAME EQ "${made.userName.toUpperCase()}"`,
        `externalId eq "${String(made.externalId)}"`,
        `id eq "${made.id}"`,
        `emails.value eq "${made.userName}"`,
        `emails[value eq "${made.userName}"]`,
        `urn:ietf:params:scim:schemas:core:2.0:User:userName eq "${made.userName}" and active eq true`,
      ]) {
        expect(await find(filter), filter).to.deep.equal([made]);
      }
      for (const filter of [
        `userName eq "nobody@${home.domain}"`,
        `externalId eq "${String(made.externalId).toUpperCase()}"`,
        `userName eq "${made.userName}" and active eq false`,
      ]) {
        expect(await find(filter), filter).to.deep.equal([]);
      }
    });

    it('among all members, also those that the directory did not make', async () => {
      const answer = await scim.ask(
        'GET',
        `/Users?filter=${encodeURIComponent(`userName eq "${home.owner.row.email}"`)}`,
      );
      expect(answer.body).to.include({ totalResults: 1, startIndex: 1, itemsPerPage: 1 });
      expect(answer.body?.Resources).to.have.nested.property('[0].id', home.owner.row.id);
      expect(answer.body?.Resources).to.have.nested.property('[0].active', true);
    });

    it('in pages, with the attributes that are asked for', async () => {
      for (let n = 0; n < 4; n += 1) await scim.createUser();
      const page = async (query: string) => (await scim.ask('GET', `/Users?${query}`)).body ?? {};
      const first = await page('count=2');
      expect(first).to.include({ totalResults: 5, startIndex: 1, itemsPerPage: 2 });
      const second = await page('startIndex=3&count=2');
      const last = await page('startIndex=5&count=200');
      const ids = [first, second, last].flatMap(({ Resources }) => (Resources as { id: string }[]).map(({ id }) => id));
      expect(new Set(ids).size).to.equal(5);
      expect(await page('count=0')).to.deep.include({ totalResults: 5, itemsPerPage: 0, Resources: [] });
      expect(await page('startIndex=-7&count=-1')).to.deep.include({ startIndex: 1, itemsPerPage: 0 });
      const few = (await page('count=1&attributes=userName,emails.value')).Resources as object[];
      expect(Object.keys(few[0] ?? {}).sort()).to.deep.equal(['emails', 'id', 'schemas', 'userName']);
      const fewer = (await page('count=1&excludedAttributes=groups,meta,emails')).Resources as object[];
      expect(fewer[0]).to.not.have.any.keys('groups', 'meta', 'emails');
    });

    it('by no other comparison, and not by a text that is made to take long', async () => {
      for (const filter of [
        'userName co "a"',
        'userName eq',
        'eq "a"',
        'title eq "x"',
        'not (active eq true)',
        'userName eq "a" or active eq true',
        '(',
        `userName eq "${'\\a'.repeat(400)}`,
        '"'.repeat(1000),
      ]) {
        const startedAt = performance.now();
        refused(await scim.ask('GET', `/Users?filter=${encodeURIComponent(filter)}`), 400, 'invalidFilter', 'userName');
        expect(performance.now() - startedAt).to.be.below(2_000);
      }
    });
  });

  describe('are changed', () => {
    it('as Entra does, with truth values as texts and operations in capitals', async () => {
      const { id } = await scim.createUser();
      const answer = await scim.patch(
        `/Users/${id}`,
        { op: 'Replace', path: 'displayName', value: 'Noura' },
        { op: 'Add', path: 'emails[type eq "work"].value', value: `noura@${home.domain}` },
        { op: 'Replace', path: 'name.familyName', value: 'Alqahtani' },
        { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'Care' },
        { op: 'Replace', path: 'active', value: 'False' },
      );
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body).to.include({ displayName: 'Noura', active: false });
      expect(answer.body?.name).to.deep.include({ familyName: 'Alqahtani', givenName: 'Reem' });
    });

    it('as Okta does, without a path', async () => {
      const { id } = await scim.createUser();
      const answer = await scim.patch(`/Users/${id}`, {
        op: 'replace',
        value: { id, active: false, 'name.givenName': 'Sara', unknown: { a: 1 } },
      });
      expect(answer.body, answer.text).to.include({ active: false });
      expect(answer.body?.name).to.deep.include({ givenName: 'Sara' });
      expect((await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } })).body).to.include({
        active: true,
      });
    });

    it('in all operations or none', async () => {
      const made = await scim.createUser();
      const answer = await scim.patch(
        `/Users/${made.id}`,
        { op: 'replace', path: 'displayName', value: 'Changed' },
        { op: 'remove', path: 'userName' },
      );
      refused(answer, 400, 'invalidValue', 'userName');
      expect((await scim.ask('GET', `/Users/${made.id}`)).body).to.deep.equal(made);
    });

    for (const [what, operation, type] of [
      ['an operation that does not exist', { op: 'move', path: 'active', value: true }, 'invalidSyntax'],
      ['no value', { op: 'replace', path: 'active' }, 'invalidValue'],
      ['a broken path', { op: 'replace', path: 'emails[type eq', value: 'x' }, 'invalidPath'],
      ['a path into a simple attribute', { op: 'replace', path: 'active.value', value: true }, 'invalidPath'],
      ['a removal of nothing', { op: 'remove' }, 'noTarget'],
      ['a truth value that is none', { op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
      ['a name with line breaks', { op: 'replace', path: 'displayName', value: 'a\nb' }, 'invalidValue'],
      ['addresses that are no list', { op: 'replace', path: 'emails', value: 7 }, 'invalidValue'],
      ['a name that is no object', { op: 'replace', path: 'name', value: 'Reem' }, 'invalidValue'],
    ] as const) {
      it(`not with ${what}`, async () => {
        const made = await scim.createUser();
        const answer = await scim.patch(`/Users/${made.id}`, operation);
        expect(answer.status, answer.text).to.equal(400);
        expect(scimProblems(answer)).to.deep.equal([]);
        expect(answer.body?.scimType).to.equal(type);
        expect((await scim.ask('GET', `/Users/${made.id}`)).body).to.deep.equal(made);
      });
    }

    it('in their address, which is reported to the old one', async () => {
      const made = await scim.createUser();
      const next = scim.address();
      const answer = await scim.patch(`/Users/${made.id}`, { op: 'replace', path: 'userName', value: next });
      expect(answer.body, answer.text).to.include({ userName: next });
      expect((await stage.userOf(next))?.id).to.equal(made.id);
      expect((await mailsTo(database, made.userName)).map(({ kind }) => kind)).to.deep.equal(['email_changed']);
      const taken = await scim.patch(`/Users/${made.id}`, {
        op: 'replace',
        path: 'userName',
        value: home.owner.row.email,
      });
      refused(taken, 409, 'uniqueness', 'another user');
      const foreign = await scim.patch(`/Users/${made.id}`, {
        op: 'replace',
        path: 'userName',
        value: 'x@elsewhere.example',
      });
      refused(foreign, 400, 'invalidValue', 'not verified');
    });
  });

  describe('are not created', () => {
    it('twice', async () => {
      const made = await scim.createUser();
      refused(
        await scim.ask('POST', '/Users', scim.user({ userName: made.userName.toUpperCase() })),
        409,
        'uniqueness',
        'another user',
      );
      const name = { userName: 'reem', emails: [{ value: scim.address(), primary: true }] };
      await scim.createUser(name);
      refused(
        await scim.ask('POST', '/Users', scim.user({ ...name, emails: [{ value: scim.address() }] })),
        409,
        'uniqueness',
        'another user',
      );
      const moment = scim.user();
      const answers = await Promise.all([scim.ask('POST', '/Users', moment), scim.ask('POST', '/Users', moment)]);
      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([201, 409]);
    });

    it('with an address of somebody in another organization, or of a domain that is not verified', async () => {
      const other = await stage.home(null);
      const guest = await stage.accounts.signUp({ of: other.owner, user: { email: scim.address() } });
      refused(
        await scim.ask('POST', '/Users', scim.user({ userName: guest.row.email })),
        409,
        'uniqueness',
        'another user',
      );
      refused(
        await scim.ask('POST', '/Users', scim.user({ userName: other.owner.row.email })),
        400,
        'invalidValue',
        'not verified',
      );
    });

    it('without an address', async () => {
      refused(await scim.ask('POST', '/Users', { schemas: [USER] }), 400, 'invalidValue', 'userName');
      refused(
        await scim.ask('POST', '/Users', scim.user({ userName: 'reem' })),
        400,
        'invalidValue',
        'neither userName nor emails',
      );
    });

    it('from what is no JSON, or another media type', async () => {
      const raw = await scim.raw('POST', '/Users', '{', 'application/scim+json');
      refused(raw, 400, 'invalidSyntax', 'JSON');
      refused(await scim.raw('POST', '/Users', '{}', 'text/plain'), 400, 'invalidSyntax', 'Content-Type');
      expect((await scim.raw('POST', '/Users', JSON.stringify(scim.user()), 'application/json')).status).to.equal(201);
    });
  });
});
