import { expect } from 'chai';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { route } from '../../../api/http/route.js';
import { tidySpool } from '../../../api/http/spool.js';
import { HatifError, invalidField } from '../../../core/model/errors/index.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';

describe('uploads', () => {
  let database: TestDatabase;
  let api: TestApi;
  let key: string;
  let folder: string;
  let spool: string;
  /** The files in the spool while a handler runs, with their contents. */
  let waiting: { readonly name: string; readonly text: string; readonly mode: number }[];

  const spooled = (): string[] => (existsSync(spool) ? readdirSync(spool) : []);

  before(async function () {
    this.timeout(60_000);
    folder = mkdtempSync(join(tmpdir(), 'hatif-uploads-'));
    spool = join(folder, 'spool');
    database = await testDatabase();
    const upload = route({
      method: 'POST',
      path: '/v1/order-notes',
      operationId: 'uploadOrderNote',
      summary: 'Upload',
      tag: 'Shop',
      scope: 'calls:write',
      keyKind: 'any',
      upload: { field: 'file', maxBytes: 2048, description: 'The note' },
      body: z.strictObject({ fails: z.string().optional() }),
      responses: { 201: { schema: z.strictObject({ size: z.int() }), description: 'Stored' } },
      errors: ['CALL_FAILED'],
      handler: ({ file, body }) => {
        if (!file) throw invalidField('file');
        waiting = spooled().map((name) => ({
          name: join(spool, name),
          text: readFileSync(join(spool, name), 'utf8'),
          mode: statSync(spool).mode & 0o777,
        }));
        expect(waiting.map(({ name }) => name)).to.deep.equal([file.path]);
        if (body.fails !== undefined) throw new HatifError('CALL_FAILED', { reason: { en: 'no', ar: 'لا' } });
        return { status: 201, body: { size: file.size } };
      },
    });
    api = await testApi({ db: database.db, routes: [upload], spool });
    ({ key } = await api.key());
  });
  beforeEach(() => {
    waiting = [];
  });
  after(async () => {
    await api.close();
    await database.close();
    rmSync(folder, { recursive: true });
  });

  function send(
    text: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.set(name, value);
    data.set('file', new Blob([text]), 'note.txt');
    return api.request('POST', '/v1/order-notes', { key, raw: data, headers });
  }

  it('wait on the disk while their request is served, and are deleted afterwards', async () => {
    const answer = await send('a note');
    expect([answer.status, answer.body?.size]).to.deep.equal([201, 6]);
    expect(waiting.map(({ text, mode }) => [text, mode])).to.deep.equal([['a note', 0o700]]);
    expect(spooled()).to.deep.equal([]);
  });

  it('leave nothing behind after a failure, a refusal or a repetition', async () => {
    const once = { 'Idempotency-Key': 'note-1' };
    const outcomes = [
      await send('a note', { fails: 'yes' }),
      await send('a note', { unknown: 'field' }),
      await send('x'.repeat(3000)),
      await send('a note', {}, once),
      await send('a note', {}, once),
      await send('another', {}, once),
    ];
    expect(outcomes.map(({ status }) => status)).to.deep.equal([502, 400, 413, 201, 201, 409]);
    expect(spooled()).to.deep.equal([]);
  });

  it('of a process that died are deleted at the next start', async () => {
    const [old, fresh] = [join(spool, 'old'), join(spool, 'fresh')];
    for (const file of [old, fresh]) writeFileSync(file, 'left');
    const then = new Date(Date.now() - 2 * 3600_000);
    utimesSync(old, then, then);
    await tidySpool(spool);
    expect(spooled()).to.deep.equal(['fresh']);
    rmSync(fresh);
    await tidySpool(join(folder, 'nowhere'));
  });
});
