import { expect } from 'chai';
import type { Answer, TestApi } from '../../support/api.js';
import { codeOf } from '../../support/judges/outcome.js';
import { ContactStage } from '../../support/stages/messaging/contact-stage.js';

const GROUPS = '/v1/contact-groups';

describe('dynamic contact groups', function () {
  this.timeout(60_000);
  let stage: ContactStage;
  let api: TestApi;
  let live: string;
  let sandbox: string;
  let chosen: string;

  before(async () => {
    stage = await ContactStage.start();
    ({ api } = stage);
  });
  beforeEach(async () => {
    ({ live, sandbox } = await stage.tenant());
    const people = [
      { phone: '+966501234501', name_en: 'Reem', tags: ['vip', 'new'], custom_fields: { city: 'Riyadh', orders: 3 } },
      { phone: '+966501234502', name_en: 'Omar', tags: ['vip'], language: 'en', custom_fields: { orders: '12' } },
      { email: 'sara@example.com', name_en: 'Sara', custom_fields: { city: 'Jeddah', orders: 7.5, active: true } },
    ];
    const ids: string[] = [];
    for (const json of people) ids.push(String((await ask('POST', '/v1/contacts', json)).body?.id));
    await ask('POST', '/v1/contacts', { phone: '+966501234501', name_en: 'Trial', tags: ['vip'] }, sandbox);
    chosen = String((await ask('POST', GROUPS, { name: 'Chosen' })).body?.id);
    await ask('POST', `${GROUPS}/${chosen}/members`, { contact_ids: [ids[0], ids[2]] });
    await ask('POST', `/v1/contacts/${String(ids[1])}/consents`, { status: 'opted_out', channels: ['sms'] });
  });
  after(async () => {
    await stage.close();
  });

  const ask = (method: string, path: string, json?: object, key = live): Promise<Answer> =>
    api.request(method, path, { key, ...(json && { json }) });
  const rulesOf = (conditions: readonly object[], match = 'all'): object => ({ match, conditions });
  const group = (rules: object, name = 'Dynamic', key = live): Promise<Answer> =>
    ask('POST', GROUPS, { name, rules }, key);
  const names = async (id: string): Promise<string[]> =>
    ((await ask('GET', `${GROUPS}/${id}`)).body?.members as { name: string }[]).map(({ name }) => name);

  it('have each contact for which the rules hold', async () => {
    const custom = (name: string, op: string, value?: unknown) => ({
      ...{ field: 'custom', name, op },
      ...(value !== undefined && { value }),
    });
    const consent = (op: string, channel = 'sms') => ({ field: 'consent', op, channel, class: 'promotional' });
    for (const [rules, members] of [
      [[{ field: 'tag', op: 'has', value: 'vip' }], 'Reem Omar'],
      [[{ field: 'tag', op: 'has_not', value: 'new' }], 'Omar Sara'],
      [[{ field: 'language', op: 'is', value: 'en' }], 'Omar'],
      [[{ field: 'email', op: 'exists' }], 'Sara'],
      [[{ field: 'email', op: 'missing' }], 'Reem Omar'],
      [[{ field: 'group', op: 'in', value: chosen }], 'Reem Sara'],
      [[{ field: 'group', op: 'not_in', value: chosen }], 'Omar'],
      [[custom('city', 'is', 'Riyadh')], 'Reem'],
      [[custom('city', 'is_not', 'Riyadh')], 'Omar Sara'],
      [[custom('active', 'is', true)], 'Sara'],
      [[custom('orders', 'is', 7.5)], 'Sara'],
      [[custom('city', 'exists')], 'Reem Sara'],
      [[custom('city', 'missing')], 'Omar'],
      [[custom('orders', 'above', 3)], 'Sara'],
      [[custom('orders', 'at_least', 3)], 'Reem Sara'],
      [[custom('orders', 'below', 7.5)], 'Reem'],
      [[custom('orders', 'at_most', 7.5)], 'Reem Sara'],
      [[consent('opted_out')], 'Omar'],
      [[consent('opted_in')], ''],
      [[consent('not_opted_out')], 'Reem'],
      [[consent('not_opted_out', 'email')], 'Sara'],
      [[custom('city', 'is', "Riyadh' OR true --")], ''],
      [[{ field: 'tag', op: 'has', value: 'vip' }, custom('city', 'exists')], 'Reem'],
    ] as const) {
      const { body } = await group(rulesOf(rules));
      const id = String(body?.id);
      expect((await names(id)).join(' '), JSON.stringify(rules)).to.equal(members);
      await ask('DELETE', `${GROUPS}/${id}`);
    }
    const either = rulesOf([rulesOf([custom('orders', 'is', 3)]), { field: 'language', op: 'is', value: 'en' }], 'any');
    expect(await names(String((await group(either)).body?.id))).to.deep.equal(['Reem', 'Omar']);
  });

  it('follow contacts, are paged, filter contacts and change their rules', async () => {
    const { body } = await group(rulesOf([{ field: 'tag', op: 'has', value: 'vip' }]));
    expect(body).to.deep.include({ kind: 'dynamic', members_count: null });
    const id = String(body?.id);
    const first = await ask('GET', `${GROUPS}/${id}/members?limit=1`);
    const next = encodeURIComponent(String(first.body?.next_cursor));
    const second = await ask('GET', `${GROUPS}/${id}/members?limit=1&cursor=${next}`);
    expect(
      [first, second].flatMap((page) => (page.body?.data as { name: string }[]).map(({ name }) => name)),
    ).to.deep.equal(['Reem', 'Omar']);
    const filtered = (await ask('GET', `/v1/contacts?group_id=${id}&search=om`)).body?.data as { name: string }[];
    expect(filtered.map(({ name }) => name)).to.deep.equal(['Omar']);
    const all = (await ask('GET', `/v1/contacts?group_id=${id}`)).body?.data as { name: string }[];
    expect(
      all.map(({ name }) => name),
      'not those of the sandbox',
    ).to.deep.equal(['Omar', 'Reem']);
    const rules = rulesOf([{ field: 'tag', op: 'has', value: 'new' }]);
    const changed = await ask('PATCH', `${GROUPS}/${id}`, { rules });
    expect(changed.body).to.deep.include({ rules, name: 'Dynamic' });
    expect(await names(id)).to.deep.equal(['Reem']);
    expect((await ask('PATCH', `${GROUPS}/${id}`, { name: 'New ones' })).body).to.deep.include({
      rules,
      name: 'New ones',
    });
    const listed = (await ask('GET', GROUPS)).body?.data as Record<string, unknown>[];
    expect(listed.map(({ kind, members_count }) => [kind, members_count])).to.deep.equal([
      ['dynamic', null],
      ['manual', 2],
    ]);
  });

  it('take nobody by hand, and no group with rules, or of others, in their rules', async () => {
    const dynamic = String((await group(rulesOf([{ field: 'tag', op: 'has', value: 'vip' }]))).body?.id);
    const [reem] = (await ask('GET', `${GROUPS}/${chosen}`)).body?.members as { contact_id: string }[];
    const ids = { contact_ids: [reem?.contact_id] };
    expect(codeOf(await ask('POST', `${GROUPS}/${dynamic}/members`, ids))).to.equal('400 VALIDATION_ERROR');
    const { key: stranger } = await api.key();
    const inGroup = (value: string): object => rulesOf([{ field: 'group', op: 'in', value }]);
    expect(codeOf(await group(inGroup(dynamic), 'A'))).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await group(inGroup(chosen), 'A', stranger))).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await group(inGroup(chosen), 'A', sandbox))).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await ask('PATCH', `${GROUPS}/${chosen}`, { rules: inGroup(chosen) }))).to.equal(
      '400 VALIDATION_ERROR',
    );
    expect(codeOf(await ask('PATCH', `${GROUPS}/${dynamic}`, { rules: inGroup(dynamic) }))).to.equal(
      '400 VALIDATION_ERROR',
    );
    for (const key of [stranger, sandbox])
      expect(codeOf(await ask('GET', `${GROUPS}/${dynamic}`, undefined, key))).to.equal('404 NOT_FOUND');
    const raw = new FormData();
    raw.set('file', new Blob(['phone\n0501234567\n']), 'a.csv');
    raw.set('group_id', dynamic);
    expect(codeOf(await api.request('POST', '/v1/contacts/import', { key: live, raw }))).to.equal(
      '400 VALIDATION_ERROR',
    );
  });
});
