import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import { ContactImportTask } from '../../../core/services/contacts/import/task.js';
import { systemClock } from '../../../core/ports/clock.js';
import type { Answer, TestApi } from '../../support/api.js';
import { codeOf } from '../../support/judges/outcome.js';
import { documentProblems } from '../../support/judges/route-contract.js';
import { quiet } from '../../support/logger.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { ContactStage } from '../../support/stages/messaging/contact-stage.js';

const PATH = '/v1/contacts/import';

describe('imports of contacts', function () {
  this.timeout(60_000);
  let stage: ContactStage;
  let database: TestDatabase;
  let api: TestApi;
  let owner: { projectId: string; organizationId: string };
  let live: string;

  before(async () => {
    stage = await ContactStage.start();
    ({ database, api } = stage);
    const { routes } = stage;
    expect(documentProblems(openApiDocument({ routes, version: '1', serverUrl: '' }), routes)).to.deep.equal([]);
  });
  beforeEach(async () => {
    ({ owner, live } = await stage.tenant());
  });
  after(async () => {
    await stage.close();
  });

  const get = (path: string, key = live): Promise<Answer> => api.request('GET', path, { key });
  function send(text: string | Uint8Array<ArrayBuffer>, fields: object = {}, key = live): Promise<Answer> {
    const raw = new FormData();
    raw.set('file', new Blob([text], { type: 'text/csv' }), 'customers.csv');
    for (const [name, value] of Object.entries(fields)) raw.set(name, String(value));
    return api.request('POST', PATH, { key, raw });
  }
  const task = (onPiece?: () => void): ContactImportTask =>
    new ContactImportTask({ db: database.db, clock: systemClock, log: quiet, ...(onPiece && { onPiece }) });
  /** Sends a file, and imports it. @returns the import as it is then */
  async function imported(text: string, fields: object = {}): Promise<Record<string, unknown>> {
    const answer = await send(text, fields);
    expect(answer.status, answer.text).to.equal(202);
    await task().run();
    return (await get(`${PATH}/${String(answer.body?.id)}`)).body ?? {};
  }
  const contacts = async (query = ''): Promise<Record<string, unknown>[]> =>
    (await get(`/v1/contacts${query}`)).body?.data as Record<string, unknown>[];
  const errors = async (id: unknown, query = ''): Promise<Answer> => get(`${PATH}/${String(id)}/errors${query}`);

  it('make and change contacts, and report each bad line', async () => {
    const first = await imported(
      [
        '\ufeffالجوال;email;الاسم;tags;custom.orders:number',
        '0501234567;Reem@example.com;ريم;vip;3',
        '12;;"سطر',
        'طويل";;x',
        ';;;;',
        '501234568;;عمر;;',
        '0501234567;;;new;4',
      ].join('\r\n'),
    );
    expect(first).to.deep.include({ status: 'completed', problem: null, file_name: 'customers.csv', group_id: null });
    expect(first.lines).to.deep.equal({
      ...{ total: 4, processed: 4, created: 2, updated: 1, unchanged: 0, skipped: 0, failed: 1 },
    });
    const faults = (await errors(first.id)).body?.data as Record<string, unknown>[];
    expect(faults.map(({ line, column, code }) => [line, column, code])).to.deep.equal([
      [3, 'phone', 'INVALID_PHONE_NUMBER'],
      [3, 'custom.orders:number', 'VALIDATION_ERROR'],
    ]);
    expect(faults[0]?.message_ar).to.match(/[\u0600-\u06ff]/);
    const next = encodeURIComponent(String((await errors(first.id, '?limit=1')).body?.next_cursor));
    expect((await errors(first.id, `?limit=1&cursor=${next}`)).body?.data).to.deep.equal(faults.slice(1));
    const [omar, reem] = await contacts();
    expect(omar).to.deep.include({ phone: '+966501234568', name: 'عمر' });
    expect(reem).to.deep.include({ email: 'reem@example.com', tags: ['vip', 'new'], custom_fields: { orders: 4 } });
    expect(await contacts(`?search=${encodeURIComponent('ريم')}`)).to.have.length(1);
    const again = await imported('phone,custom.orders:number\n0501234567,4\n');
    expect(again.lines).to.deep.include({ unchanged: 1, updated: 0 });
    const skipped = await imported('phone,name_en\n0501234567,Other\n0501234569,New\n', { existing: 'skip' });
    expect(skipped.lines).to.deep.include({ skipped: 1, created: 1 });
    const left = await database.db.query('SELECT 1 FROM contact_import_pieces');
    expect(left).to.deep.equal([]);
  });

  it('add their contacts to a group, as long as it exists', async () => {
    const group = await api.request('POST', '/v1/contact-groups', { key: live, json: { name: 'Customers' } });
    const id = String(group.body?.id);
    await imported('phone\n0501234567\n', { group_id: id });
    await imported('phone\n0501234567\n0501234568\n', { group_id: id, existing: 'skip' });
    expect((await get(`/v1/contact-groups/${id}`)).body?.members).to.have.length(2);
    await send('phone\n0501234569\n', { group_id: id });
    await api.request('DELETE', `/v1/contact-groups/${id}`, { key: live });
    await task().run();
    const [last] = (await get(PATH)).body?.data as Record<string, unknown>[];
    expect(last).to.deep.include({ status: 'completed', problem: 'group_deleted', group_id: null });
    expect(codeOf(await send('phone\n0501234567\n', { group_id: id }))).to.equal('400 VALIDATION_ERROR');
  });

  it('import each line exactly once, if processes die in the middle and others work at the same time', async () => {
    const lines = Array.from({ length: 2600 }, (_, n) => `+96650${String(1_000_000 + n)},n${n}`);
    const answer = await send(['phone,name_en', ...lines].join('\n'));
    let pieces = 0;
    const dying = task(() => {
      if (++pieces === 3) throw new Error('killed');
    });
    await dying.run();
    const [half] = await database.db.query<{ attempts: number }>('SELECT attempts FROM contact_imports WHERE id = $1', [
      answer.body?.id,
    ]);
    expect(half?.attempts).to.equal(1);
    await database.db.query(`UPDATE contact_imports SET due_at = now() - interval '1 second' WHERE due_at IS NOT NULL`);
    await Promise.all([task().run(), task().run(), task().run()]);
    await task().run();
    const done = (await get(`${PATH}/${String(answer.body?.id)}`)).body;
    expect(done).to.deep.include({ status: 'completed', problem: null });
    expect(done?.lines).to.deep.include({ total: 2600, processed: 2600, created: 2600 });
    const [count] = await database.db.query<{ contacts: number }>(
      'SELECT count(*)::int AS contacts FROM contacts WHERE project_id = $1',
      [owner.projectId],
    );
    expect(count?.contacts).to.equal(2600);
  });

  it('see a contact that a client makes at the same moment', async () => {
    const answer = await send('phone,name_en\n0501234567,File\n');
    let made = 0;
    // Before the commit of the piece that makes the contact too; the request waits for it.
    let client: Promise<Answer> | undefined;
    await task(() => {
      if (made++ === 0)
        client = api.request('POST', '/v1/contacts', { key: live, json: { phone: '0501234567', name_en: 'Client' } });
    }).run();
    const outcome = await client;
    expect(['201', '409']).to.include(String(outcome?.status));
    expect(await contacts()).to.have.length(1);
    expect((await get(`${PATH}/${String(answer.body?.id)}`)).body?.status).to.equal('completed');
  });

  it('fail for good after many faults, and delete the lines', async () => {
    const answer = await send('phone\n0501234567\n');
    const failing = task(() => {
      throw new Error('a fault');
    });
    for (let attempt = 1; attempt <= 15; attempt += 1) {
      await database.db.query(
        `UPDATE contact_imports SET due_at = now() - interval '1 second' WHERE due_at IS NOT NULL`,
      );
      await failing.run();
    }
    const done = (await get(`${PATH}/${String(answer.body?.id)}`)).body;
    expect(done).to.deep.include({ status: 'failed', problem: 'fault' });
    expect(await contacts()).to.deep.equal([]);
    expect(await database.db.query('SELECT 1 FROM contact_import_pieces')).to.deep.equal([]);
  });

  for (const [what, text] of [
    ['no lines', 'phone,email\n'],
    ['an unknown column', 'phone,shoe size\n0501234567,44\n'],
    ['a column twice', 'phone,mobile\n0501234567,0501234567\n'],
    ['neither numbers nor addresses', 'name_en\nReem\n'],
    ['an open quote', 'phone,name_en\n0501234567,"Reem\n'],
    ['another encoding', new Uint8Array([0x70, 0x68, 0x6f, 0x6e, 0x65, 0x0a, 0xc7, 0xe1])],
    ['nothing', ''],
    ['too many lines', `phone\n${'0501234567\n'.repeat(100_001)}`],
  ] as const) {
    it(`refuse a file with ${what} as a whole`, async () => {
      const answer = await send(text);
      expect(codeOf(answer), answer.text).to.equal('400 VALIDATION_ERROR');
      expect((answer.body?.details as { path: string }[])[0]?.path).to.equal('file');
      expect((await get(PATH)).body?.data).to.deep.equal([]);
    });
  }

  it('are at most five at a time, and of the project and kind of the key', async () => {
    const sandbox = (await api.key({ ...owner, kind: 'sandbox' })).key;
    const { key: stranger } = await api.key();
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => send('phone\n0501234567\n')));
    expect(answers.map(codeOf).filter((code) => code !== '202')).to.deep.equal(['409 CONTACT_LIMIT_EXCEEDED']);
    expect((await send('phone\n0501234567\n', {}, sandbox)).status).to.equal(202);
    await task().run();
    const id = String(answers.find(({ status }) => status === 202)?.body?.id);
    for (const key of [sandbox, stranger]) {
      expect(codeOf(await get(`${PATH}/${id}`, key))).to.equal('404 NOT_FOUND');
      expect(codeOf(await get(`${PATH}/${id}/errors`, key))).to.equal('404 NOT_FOUND');
    }
    expect((await get(PATH, stranger)).body?.data).to.deep.equal([]);
    expect((await get(PATH, sandbox)).body?.data).to.have.length(1);
    expect(await contacts()).to.have.length(2);
  });
});
