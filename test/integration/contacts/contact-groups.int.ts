import { expect } from 'chai';
import { ContactGroups, GroupFull } from '../../../core/data/repositories/contacts/contact-groups.js';
import { newId } from '../../../core/model/ids.js';
import { MAX_GROUPS } from '../../../core/model/contacts/contact.js';
import type { Answer, TestApi } from '../../support/api.js';
import { codeOf } from '../../support/judges/outcome.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { ContactStage } from '../../support/stages/messaging/contact-stage.js';

const PATH = '/v1/contact-groups';

describe('contact groups', function () {
  this.timeout(60_000);
  let stage: ContactStage;
  let database: TestDatabase;
  let api: TestApi;
  let owner: { projectId: string; organizationId: string };
  let live: string;
  let sandbox: string;

  before(async () => {
    stage = await ContactStage.start();
    ({ database, api } = stage);
  });
  beforeEach(async () => {
    ({ owner, live, sandbox } = await stage.tenant());
  });
  after(async () => {
    await stage.close();
  });

  const ask = (method: string, path: string, json?: object, key = live): Promise<Answer> =>
    api.request(method, path, { key, ...(json && { json }) });
  const group = async (name: string, key = live): Promise<string> =>
    String((await ask('POST', PATH, { name }, key)).body?.id);
  const contact = async (json: object, key = live): Promise<string> =>
    String((await ask('POST', '/v1/contacts', json, key)).body?.id);
  const add = (id: string, contact_ids: readonly string[], key = live): Promise<Answer> =>
    ask('POST', `${PATH}/${id}/members`, { contact_ids }, key);

  it('have members, all of which one answer shows', async () => {
    const id = await group('Customers');
    const reem = await contact({ phone: '+966501234567', name_ar: 'ريم', marketing_opted_out: true });
    const omar = await contact({ email: 'omar@example.com', name_en: 'Omar' });
    expect((await ask('GET', `${PATH}/${id}`)).body?.members).to.deep.equal([]);
    expect((await add(id, [reem, omar, reem])).body).to.deep.equal({ added: 2 });
    expect((await add(id, [reem])).body).to.deep.equal({ added: 0 });
    const whole = await ask('GET', `${PATH}/${id}`);
    expect(whole.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(Object.keys(whole.body ?? {})).to.deep.equal(['id', 'name', 'created_at', 'members']);
    const members = whole.body?.members as Record<string, unknown>[];
    expect(members.map(({ added_at, ...member }) => ({ ...member, added: typeof added_at }))).to.deep.equal([
      { contact_id: reem, name: 'ريم', phone: '+966501234567', marketing_opted_out: true, added: 'string' },
      { contact_id: omar, name: 'Omar', phone: null, marketing_opted_out: false, added: 'string' },
    ]);
    const first = await ask('GET', `${PATH}/${id}/members?limit=1`);
    expect(first.body?.data).to.deep.equal(members.slice(0, 1));
    const next = encodeURIComponent(String(first.body?.next_cursor));
    expect((await ask('GET', `${PATH}/${id}/members?limit=1&cursor=${next}`)).body).to.deep.include({
      data: members.slice(1),
      next_cursor: null,
    });
    expect((await ask('GET', PATH)).body?.data).to.have.nested.property('[0].members_count', 2);
    const inGroup = await ask('GET', `/v1/contacts?group_id=${id}`);
    expect((inGroup.body?.data as { id: string }[]).map((one) => one.id)).to.deep.equal([omar, reem]);
    expect((await ask('DELETE', `${PATH}/${id}/members/${omar}`)).status).to.equal(204);
    expect(codeOf(await ask('DELETE', `${PATH}/${id}/members/${omar}`))).to.equal('404 NOT_FOUND');
    expect((await ask('DELETE', `/v1/contacts/${reem}`)).status).to.equal(204);
    expect((await ask('GET', `${PATH}/${id}`)).body?.members).to.deep.equal([]);
    expect((await ask('GET', `/v1/contacts/${omar}`)).status, 'stays a contact').to.equal(200);
  });

  it('have unique names, are renamed and deleted', async () => {
    const id = await group('Customers');
    expect(codeOf(await ask('POST', PATH, { name: ' CUSTOMERS ' }))).to.equal('400 VALIDATION_ERROR');
    const other = await group('Others');
    expect(codeOf(await ask('PATCH', `${PATH}/${other}`, { name: 'customers' }))).to.equal('400 VALIDATION_ERROR');
    expect((await ask('PATCH', `${PATH}/${id}`, { name: 'customers' })).body).to.deep.include({ name: 'customers' });
    const member = await contact({ phone: '+966501234567' });
    await add(id, [member]);
    expect((await ask('DELETE', `${PATH}/${id}`)).status).to.equal(204);
    expect(codeOf(await ask('GET', `${PATH}/${id}`))).to.equal('404 NOT_FOUND');
    expect((await ask('GET', `/v1/contacts/${member}`)).status).to.equal(200);
  });

  it('take all contacts or none, and only those of the own project and kind', async () => {
    const id = await group('Customers');
    const own = await contact({ phone: '+966501234567' });
    const { key: stranger } = await api.key();
    for (const foreign of [
      newId(),
      await contact({ phone: '+966501234567' }, sandbox),
      await contact({ phone: '+966501234567' }, stranger),
    ]) {
      const refused = await add(id, [own, foreign]);
      expect(codeOf(refused)).to.equal('400 VALIDATION_ERROR');
      expect((refused.body?.details as { path: string }[])[0]?.path).to.equal('contact_ids[1]');
    }
    expect((await ask('GET', `${PATH}/${id}`)).body?.members).to.deep.equal([]);
    for (const key of [stranger, sandbox]) {
      expect(codeOf(await ask('GET', `${PATH}/${id}`, undefined, key))).to.equal('404 NOT_FOUND');
      expect(codeOf(await ask('GET', `${PATH}/${id}/members`, undefined, key))).to.equal('404 NOT_FOUND');
      expect(codeOf(await add(id, [own], key))).to.equal('404 NOT_FOUND');
      expect(codeOf(await ask('DELETE', `${PATH}/${id}`, undefined, key))).to.equal('404 NOT_FOUND');
    }
  });

  it('are shown whole, however many pages of the database they are', async () => {
    const id = await group('Many');
    await database.db.query(
      `WITH added AS (
         INSERT INTO contacts (id, organization_id, project_id, sandbox, phone, language, tags, custom_fields,
           words, created_at, updated_at)
         SELECT uuid_v7(), $1, $2, false, '+4420' || (70000000 + n), 'en', '{}', '{}', '', now(), now()
         FROM generate_series(1, 2001) AS n RETURNING id
       ) INSERT INTO contact_group_members SELECT $3, id, now() FROM added`,
      [owner.organizationId, owner.projectId, id],
    );
    const members = (await ask('GET', `${PATH}/${id}`)).body?.members as { contact_id: string }[];
    expect(new Set(members.map(({ contact_id }) => contact_id)).size).to.equal(2001);
  });

  it('have a largest number of members, also for requests at the same time', async () => {
    const id = await group('Small');
    const ids = await Promise.all([1, 2, 3, 4].map((n) => contact({ phone: `+96650123456${n}` })));
    const kind = { projectId: owner.projectId, sandbox: false };
    const groups = new ContactGroups(database.db);
    const added = ids.map((one) => groups.addMembers(kind, id, [one], new Date(), 2).catch((error: unknown) => error));
    const results = await Promise.all(added);
    expect(results.filter((result) => result === 1)).to.have.length(2);
    expect(results.filter((result) => result instanceof GroupFull)).to.have.length(2);
    expect((await ask('GET', `${PATH}/${id}`)).body?.members).to.have.length(2);
  });

  it('are at most a thousand in a project', async () => {
    await database.db.query(
      `INSERT INTO contact_groups (id, organization_id, project_id, sandbox, name, created_at, updated_at)
       SELECT uuid_v7(), $1, $2, false, 'g' || n, now(), now() FROM generate_series(1, $3::int) AS n`,
      [owner.organizationId, owner.projectId, MAX_GROUPS],
    );
    expect(codeOf(await ask('POST', PATH, { name: 'One more' }))).to.equal('409 CONTACT_LIMIT_EXCEEDED');
    expect((await ask('POST', PATH, { name: 'One more' }, sandbox)).status, 'the sandbox has its own').to.equal(201);
  });
});
