import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import type { Route } from '../../../api/http/route.js';
import { newId } from '../../../core/model/ids.js';
import type { Answer, TestApi } from '../../support/api.js';
import { codeOf } from '../../support/judges/outcome.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { ContactStage } from '../../support/stages/messaging/contact-stage.js';

const PATH = '/v1/contacts';
const PHONE = '+966501234567';

describe('contacts', function () {
  this.timeout(60_000);
  let stage: ContactStage;
  let database: TestDatabase;
  let routes: Route[];
  let api: TestApi;
  let projectId: string;
  let live: string;
  let sandbox: string;

  before(async () => {
    stage = await ContactStage.start();
    ({ database, api, routes } = stage);
  });
  beforeEach(async () => {
    ({
      owner: { projectId },
      live,
      sandbox,
    } = await stage.tenant());
  });
  after(async () => {
    await stage.close();
  });

  const post = (json: object, key = live): Promise<Answer> => api.request('POST', PATH, { key, json });
  const patch = (id: unknown, json: object, key = live): Promise<Answer> =>
    api.request('PATCH', `${PATH}/${String(id)}`, { key, json });
  const created = async (json: object, key = live): Promise<Record<string, unknown>> => {
    const answer = await post(json, key);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body ?? {};
  };
  async function found(query: string, key = live): Promise<unknown[]> {
    const answer = await api.request('GET', `${PATH}${query}`, { key });
    expect(answer.status, answer.text).to.equal(200);
    return (answer.body?.data as { name: string }[]).map(({ name }) => name);
  }

  it('conform to the OpenAPI contract', async () => {
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    expect(documentProblems(openApiDocument({ routes, version: '1', serverUrl: '' }), routes)).to.deep.equal([]);
  });

  it('have a number, an address, names in both languages, tags and own fields', async () => {
    const made = await created({
      ...{ phone: '٠٥٠ ١٢٣ ٤٥٦٧', email: ' Reem@Example.COM ', name_en: ' Reem ', name_ar: 'ريم', language: 'en' },
      ...{ time_zone: 'Asia/Dubai', tags: ['vip', 'vip'], custom_fields: { orders: 3, vip: true, city: 'الرياض' } },
    });
    expect(made).to.deep.include({
      ...{ phone: PHONE, email: 'reem@example.com', name: 'Reem', name_en: 'Reem', name_ar: 'ريم', language: 'en' },
      ...{ time_zone: 'Asia/Dubai', tags: ['vip'], custom_fields: { orders: 3, vip: true, city: 'الرياض' } },
      ...{ marketing_opted_out: false, sandbox: false },
    });
    const read = await api.request('GET', `${PATH}/${String(made.id)}`, { key: live });
    expect(read.body).to.deep.equal(made);
    expect(await created({ email: 'x@example.com' })).to.deep.include({
      ...{ phone: null, name: 'x@example.com', language: 'ar', time_zone: null, tags: [], custom_fields: {} },
    });
  });

  it('are unique by number and by address, also for requests at the same time', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map((n) => post({ phone: PHONE, name_en: `n${n}` })));
    expect(answers.map(codeOf).toSorted()).to.deep.equal([
      '201',
      ...Array.from({ length: 3 }, () => '409 CONTACT_DUPLICATE'),
    ]);
    const first = answers.find(({ status }) => status === 201)?.body;
    const refused = answers.find(({ status }) => status === 409)?.body;
    expect(refused?.message).to.include(String(first?.id));
    const other = await created({ email: 'a@example.com' });
    expect(codeOf(await patch(other.id, { phone: '0501234567' }))).to.equal('409 CONTACT_DUPLICATE');
    expect(codeOf(await patch(first?.id, { email: 'A@EXAMPLE.com' }))).to.equal('409 CONTACT_DUPLICATE');
    expect((await patch(first?.id, { phone: PHONE })).status, 'its own number').to.equal(200);
    await created({ phone: PHONE }, (await api.key()).key);
    await created({ phone: PHONE }, sandbox);
  });

  it('change what is named only, and lose nothing to a change at the same moment', async () => {
    const { id } = await created({ phone: PHONE, name_ar: 'ريم', tags: ['a'], custom_fields: { keep: 1, gone: 2 } });
    const changes = Array.from({ length: 8 }, (_, n) => patch(id, { custom_fields: { [`f${n}`]: n, gone: null } }));
    for (const { status, text } of await Promise.all(changes)) expect(status, text).to.equal(200);
    const { body } = await patch(id, { name_en: 'Reem', tags: ['b'] });
    expect(body).to.deep.include({ phone: PHONE, name_ar: 'ريم', name_en: 'Reem', tags: ['b'] });
    expect(body?.custom_fields).to.deep.equal({ keep: 1, f0: 0, f1: 1, f2: 2, f3: 3, f4: 4, f5: 5, f6: 6, f7: 7 });
    expect(await found('?search=Reem')).to.deep.equal(['ريم']);
    const fields = Object.fromEntries(Array.from({ length: 45 }, (_, n) => [`g${n}`, n]));
    expect(codeOf(await patch(id, { custom_fields: fields }))).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await patch(id, { phone: null }))).to.equal('400 VALIDATION_ERROR');
  });

  it('are found in both languages, by tag, number and address, page by page', async () => {
    await created({ phone: PHONE, name_ar: 'عبد الله العُتيبيّ', tags: ['vip'] });
    await created({ phone: '+966501234568', name_ar: 'أسامة', name_en: 'Osama', tags: ['vip', 'new'] });
    await created({ email: 'c@example.com', name_en: 'Omar' });
    for (const [query, names] of [
      [`?search=${encodeURIComponent('عبدالله عتيبى')}`, ['عبد الله العُتيبيّ']],
      ['?search=os', ['أسامة']],
      ['?search=050123456', ['أسامة', 'عبد الله العُتيبيّ']],
      [`?search=${encodeURIComponent("o'; DROP TABLE contacts --")}`, []],
      ['?tag=vip', ['أسامة', 'عبد الله العُتيبيّ']],
      ['?tag=new', ['أسامة']],
      [`?phone=${encodeURIComponent('0501234568')}`, ['أسامة']],
      ['?email=C@example.com', ['Omar']],
      [`?group_id=${newId()}`, []],
      ['', ['Omar', 'أسامة', 'عبد الله العُتيبيّ']],
    ] as const) {
      expect(await found(query), query).to.deep.equal(names);
    }
    const first = await api.request('GET', `${PATH}?limit=2`, { key: live });
    const next = encodeURIComponent(String(first.body?.next_cursor));
    expect(await found(`?limit=2&cursor=${next}`)).to.deep.equal(['عبد الله العُتيبيّ']);
    expect(codeOf(await api.request('GET', `${PATH}?search=%25`, { key: live }))).to.equal('400 VALIDATION_ERROR');
  });

  for (const [what, json, code] of [
    ['nobody', {}, '400 VALIDATION_ERROR'],
    ['an emergency number', { phone: '911' }, '400 INVALID_PHONE_NUMBER'],
    ['text as a number', { phone: 'Reem' }, '400 INVALID_PHONE_NUMBER'],
    ['a malformed address', { email: 'reem@' }, '400 VALIDATION_ERROR'],
    ['an unknown time zone', { phone: PHONE, time_zone: 'Riyadh' }, '400 VALIDATION_ERROR'],
    ['a nested field', { phone: PHONE, custom_fields: { a: { b: 1 } } }, '400 VALIDATION_ERROR'],
    ['51 tags', { phone: PHONE, tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }, '400 VALIDATION_ERROR'],
  ] as const) {
    it(`refuse ${what}`, async () => {
      expect(codeOf(await post(json))).to.equal(code);
      expect(await found('')).to.deep.equal([]);
    });
  }

  it('are of the kind of the key: a sandbox key sees its own only, a live key also reads those', async () => {
    const own = await created({ phone: PHONE, name_en: 'live' });
    const tried = await created({ phone: PHONE, name_en: 'tried' }, sandbox);
    const { key: stranger } = await api.key();
    expect(await found('', sandbox)).to.deep.equal(['tried']);
    expect(await found('')).to.deep.equal(['tried', 'live']);
    expect(await found('', stranger)).to.deep.equal([]);
    for (const [id, key] of [
      [own.id, stranger],
      [tried.id, stranger],
      [own.id, sandbox],
      [tried.id, live],
    ] as const) {
      expect(codeOf(await patch(id, { name_en: 'x' }, key))).to.equal('404 NOT_FOUND');
      expect(codeOf(await api.request('DELETE', `${PATH}/${String(id)}`, { key }))).to.equal('404 NOT_FOUND');
    }
    expect((await api.request('DELETE', `${PATH}/${String(own.id)}`, { key: live })).status).to.equal(204);
    expect(await found('')).to.deep.equal(['tried']);
  });

  it('show neither names nor numbers in the audit log', async () => {
    await created({ phone: PHONE, email: 'reem@example.com', name_en: 'Secretive' });
    await api.audit.close();
    const rows = await database.db.query('SELECT details, path FROM audit_log WHERE project_id = $1', [projectId]);
    expect(JSON.stringify(rows))
      .to.include('name_en')
      .and.to.not.match(/501234567|Secretive|reem@/);
    expect(api.log.join('\n')).to.not.match(/Secretive|reem@example/);
  });
});
