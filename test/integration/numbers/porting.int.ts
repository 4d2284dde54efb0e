import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import { newId } from '../../../core/model/ids.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { numberStage, type NumberStage } from '../../support/stages/number-stage.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';

const NUMBERS = ['+966115554001', '+966115554002'];
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n');
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const DRAFT = { numbers: ['0115554001', '+966115554002'], carrier: 'Other Telecom', account_name: 'Reem Trading' };

describe('the porting requests API', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let folder: string;
  let stage: NumberStage;
  let api: TestApi;
  let key: string;
  let projectId: string;

  beforeEach(async () => {
    database = await testDatabase();
    folder = await mkdtemp(join(tmpdir(), 'hatif-porting-'));
    stage = numberStage(database.url, { RECORDING_DIR: folder });
    api = await testApi({ db: database.db, routes: stage.routes });
    ({ projectId } = await api.owner());
    ({ key } = await api.key({ projectId }));
  });
  afterEach(async () => {
    await api.close();
    await stage.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
    expect(api.faults).to.deep.equal([]);
  });

  const request = (method: string, path: string, json?: object, as = key): Promise<Answer> =>
    api.request(method, `/v1/porting-requests${path}`, { key: as, ...(json && { json }) });
  const codeOf = async (answer: Promise<Answer>): Promise<string> => {
    const { status, body } = await answer;
    const [detail] = (body?.details ?? []) as { path: string }[];
    return `${status} ${String(body?.error_code)}${detail ? ` ${detail.path}` : ''}`;
  };
  async function drafted(json: object = {}, as = key): Promise<string> {
    const answer = await request('POST', '', { ...DRAFT, ...json }, as);
    expect(answer.status, answer.text).to.equal(201);
    return String(answer.body?.id);
  }
  function upload(
    id: string,
    bytes: Buffer = PDF,
    kind = 'authorization',
    name = 'letter.pdf',
    as = key,
  ): Promise<Answer> {
    const form = new FormData();
    form.set('kind', kind);
    form.set('file', new Blob([new Uint8Array(bytes)]), name);
    return api.request('POST', `/v1/porting-requests/${id}/documents`, { key: as, raw: form });
  }
  async function submitted(json: object = {}, as = key): Promise<string> {
    const id = await drafted(json, as);
    expect((await upload(id, PDF, 'authorization', 'letter.pdf', as)).status).to.equal(201);
    const answer = await request('POST', `/${id}/submit`, {}, as);
    expect(answer.status, answer.text).to.equal(200);
    return id;
  }
  const statesOf = async (): Promise<(string | undefined)[]> =>
    Promise.all(NUMBERS.map(async (number) => (await stage.stores.inventory.find(number))?.state));
  const storedFiles = async (): Promise<string[]> => readdir(join(folder, 'documents')).catch(() => []);

  it('conforms to the OpenAPI contract', async () => {
    const routes = stage.routes.filter(({ path }) => path.startsWith('/v1/porting'));
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    expect(documentProblems(openApiDocument({ routes, version: '1', serverUrl: '' }), routes)).to.deep.equal([]);
  });

  it('leads from a draft to numbers that belong to the project', async () => {
    const id = await drafted({ wanted_at: '2027-01-01T09:00:00+03:00', notes: 'After the holiday' });
    expect((await request('GET', `/${id}`)).body).to.deep.include({
      status: 'draft',
      numbers: NUMBERS,
      carrier: 'Other Telecom',
      account_number: null,
      wanted_at: '2027-01-01T06:00:00.000Z',
      documents: [],
      submitted_at: null,
    });
    expect((await request('PATCH', `/${id}`, { account_number: 'A-7' })).body).to.deep.include({
      account_number: 'A-7',
      notes: 'After the holiday',
    });
    expect(await statesOf()).to.deep.equal([undefined, undefined]);
    await upload(id);
    expect((await request('POST', `/${id}/submit`, {})).body).to.deep.include({ status: 'submitted' });
    expect(await statesOf()).to.deep.equal(['porting', 'porting']);
    const numbers = async () =>
      (await api.request('GET', '/v1/numbers', { key })).body?.data as { id: string; status: string }[];
    expect((await numbers()).map(({ status }) => status)).to.deep.equal(['porting', 'porting']);
    expect(await codeOf(api.request('DELETE', `/v1/numbers/${String((await numbers())[0]?.id)}`, { key }))).to.equal(
      '409 PORTING_INVALID_STATE',
    );
    // No call is routed by the numbers yet, and they cannot be used as caller ID.
    expect(await stage.stores.numbers.findByE164(NUMBERS[0]!)).to.equal(null);
    await stage.administration.review(id);
    await stage.administration.schedule(id, new Date('2027-01-02T00:00:00Z'));
    expect((await request('GET', `/${id}`)).body).to.deep.include({
      status: 'scheduled',
      scheduled_at: '2027-01-02T00:00:00.000Z',
    });
    await stage.administration.complete(id);
    expect((await request('GET', `/${id}`)).body).to.deep.include({ status: 'completed' });
    expect(await statesOf()).to.deep.equal(['assigned', 'assigned']);
    expect(await stage.stores.numbers.findByE164(NUMBERS[0]!)).to.deep.include({
      project_id: projectId,
      source: 'ported',
    });
    const events = await database.db.query(`SELECT type FROM events WHERE project_id = $1`, [projectId]);
    expect(events).to.deep.equal([{ type: 'number.assigned' }, { type: 'number.assigned' }]);
    const { history } = await stage.administration.porting(id);
    expect(history.map(({ to_status, made_by }) => `${to_status} ${made_by}`)).to.deep.equal([
      'submitted customer',
      'in_review operator',
      'scheduled operator',
      'completed operator',
    ]);
  });

  it('allows each transition only from the right statuses', async () => {
    const id = await drafted();
    const { administration } = stage;
    const state = async (work: Promise<unknown>): Promise<string> => {
      const error = await failureOf(work);
      return error instanceof Error && 'code' in error ? String(error.code) : String(error);
    };
    for (const step of [
      () => administration.review(id),
      () => administration.schedule(id, new Date()),
      () => administration.complete(id),
      () => administration.reject(id, 'no'),
    ])
      expect(await state(step())).to.equal('PORTING_INVALID_STATE');
    await upload(id);
    await request('POST', `/${id}/submit`, {});
    expect(await codeOf(request('POST', `/${id}/submit`, {}))).to.equal('409 PORTING_INVALID_STATE');
    expect(await codeOf(request('PATCH', `/${id}`, { carrier: 'x' }))).to.equal('409 PORTING_INVALID_STATE');
    expect(await state(administration.complete(id))).to.equal('PORTING_INVALID_STATE');
    await administration.review(id);
    // The operator requested this document.
    expect((await upload(id, PNG, 'identity', 'id.png')).status).to.equal(201);
    const documents = (await request('GET', `/${id}`)).body?.documents as { id: string; kind: string }[];
    expect(documents.map(({ kind }) => kind)).to.deep.equal(['authorization', 'identity']);
    expect(await codeOf(request('DELETE', `/${id}/documents/${String(documents[0]?.id)}`))).to.equal(
      '409 PORTING_INVALID_STATE',
    );
    await administration.reject(id, 'The signature is missing');
    expect((await request('GET', `/${id}`)).body).to.deep.include({
      status: 'rejected',
      reason: 'The signature is missing',
    });
    expect(await statesOf()).to.deep.equal(['released', 'released']);
    expect(await codeOf(upload(id))).to.equal('409 PORTING_INVALID_STATE');
    expect(await codeOf(request('POST', `/${id}/cancel`, {}))).to.equal('409 PORTING_INVALID_STATE');
    expect(await state(administration.review(id))).to.equal('PORTING_INVALID_STATE');
    expect(await state(administration.review(newId()))).to.equal('PORTING_NOT_FOUND');
    // The numbers can be submitted again.
    await submitted();
    expect(await statesOf()).to.deep.equal(['porting', 'porting']);
  });

  it('cancels a request, which releases its numbers', async () => {
    const id = await submitted();
    expect((await request('POST', `/${id}/cancel`, {})).body).to.deep.include({ status: 'cancelled' });
    expect(await statesOf()).to.deep.equal(['released', 'released']);
  });

  it('submits only one of several concurrent requests for the same numbers', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, async () => (await api.key()).key));
    const ids = await Promise.all(
      keys.map(async (one, index) => {
        const numbers = index % 2 === 0 ? NUMBERS : [...NUMBERS].reverse();
        const id = await drafted({ numbers }, one);
        await upload(id, PDF, 'authorization', 'a.pdf', one);
        return { id, one };
      }),
    );
    const codes = await Promise.all(ids.map(({ id, one }) => codeOf(request('POST', `/${id}/submit`, {}, one))));
    expect(codes.filter((code) => code.startsWith('200'))).to.have.length(1);
    expect(new Set(codes.filter((code) => !code.startsWith('200')))).to.deep.equal(
      new Set(['409 NUMBER_NOT_AVAILABLE']),
    );
    const statuses = await database.db.query<{ status: string }>(`SELECT status FROM porting_requests`);
    expect(statuses.filter(({ status }) => status === 'draft')).to.have.length(7);
  });

  it('rejects numbers that a customer of this installation has', async () => {
    const { projectId: other, organizationId } = await api.owner();
    await stage.service.add({ id: other, organization_id: organizationId }, NUMBERS[1]!);
    const id = await drafted();
    await upload(id);
    expect(await codeOf(request('POST', `/${id}/submit`, {}))).to.equal('409 NUMBER_ALREADY_ASSIGNED');
    expect((await request('GET', `/${id}`)).body).to.deep.include({ status: 'draft' });
    expect(await statesOf()).to.deep.equal([undefined, 'assigned']);
  });

  it('rejects invalid input', async () => {
    const refused: [object, string][] = [
      [{ numbers: [] }, '400 VALIDATION_ERROR numbers'],
      [{ numbers: ['12'] }, '400 INVALID_PHONE_NUMBER numbers[0]'],
      [{ numbers: ['911'] }, '400 INVALID_PHONE_NUMBER'],
      [{ numbers: [NUMBERS[0], '0115554001'] }, '400 VALIDATION_ERROR numbers[1]'],
      [{ carrier: ' ' }, '400 VALIDATION_ERROR carrier'],
      [{ wanted_at: 'tomorrow' }, '400 VALIDATION_ERROR wanted_at'],
      [{ account_name: undefined }, '400 VALIDATION_ERROR account_name'],
    ];
    for (const [json, code] of refused)
      expect(await codeOf(request('POST', '', { ...DRAFT, ...json })), JSON.stringify(json)).to.equal(code);
    const id = await drafted();
    expect(await codeOf(request('POST', `/${id}/submit`, {}))).to.equal('400 VALIDATION_ERROR documents');
    await upload(id, PNG, 'invoice', 'bill.png');
    expect(await codeOf(request('POST', `/${id}/submit`, {}))).to.equal('400 VALIDATION_ERROR documents');
  });

  describe('documents', () => {
    it('are recognized by content, stored, and removed with their file', async () => {
      const id = await drafted();
      const answer = await upload(id, PNG, 'identity', '../../تفويض.pdf');
      expect(answer.status, answer.text).to.equal(201);
      const [document] = answer.body?.documents as { id: string; name: string }[];
      expect(document).to.deep.include({
        kind: 'identity',
        name: 'تفويض.pdf',
        media_type: 'image/png',
        bytes: PNG.length,
      });
      expect(await storedFiles()).to.have.length(1);
      const [row] = (await stage.administration.porting(id)).documents;
      expect(await buffer(await stage.administration.read(row!))).to.deep.equal(PNG);
      expect((await request('DELETE', `/${id}/documents/${String(document?.id)}`)).status).to.equal(204);
      expect(await codeOf(request('DELETE', `/${id}/documents/${String(document?.id)}`))).to.equal('404 NOT_FOUND');
      expect(await storedFiles()).to.deep.equal([]);
    });

    it('are rejected if their type or size is wrong, or there are too many', async () => {
      const id = await drafted();
      const script = Buffer.from('<script>alert(1)</script>');
      expect(await codeOf(upload(id, script))).to.equal('400 VALIDATION_ERROR file');
      // Starts like a PDF, but does not end like one.
      expect(await codeOf(upload(id, Buffer.from('%PDF-1.4 and nothing else')))).to.equal('400 VALIDATION_ERROR file');
      expect(await codeOf(upload(id, Buffer.alloc(0)))).to.equal('400 VALIDATION_ERROR file');
      expect(await codeOf(upload(id, PDF, 'poem'))).to.equal('400 VALIDATION_ERROR kind');
      const large = Buffer.concat([PDF, Buffer.alloc(10 * 1024 * 1024), PDF]);
      expect(await codeOf(upload(id, large))).to.equal('413 PAYLOAD_TOO_LARGE');
      for (let count = 0; count < 20; count += 1) expect((await upload(id)).status).to.equal(201);
      expect(await codeOf(upload(id))).to.equal('400 VALIDATION_ERROR file');
      expect(await storedFiles()).to.have.length(20);
    });
  });

  it('hides requests from other projects', async () => {
    const [first, second] = [await submitted(), await drafted()];
    const { key: other } = await api.key();
    for (const [method, path, json] of [
      ['GET', '', undefined],
      ['PATCH', '', { carrier: 'x' }],
      ['POST', '/submit', {}],
      ['POST', '/cancel', {}],
      ['DELETE', `/documents/${newId()}`, undefined],
    ] as const)
      expect(await codeOf(request(method, `/${first}${path}`, json, other)), path).to.equal('404 PORTING_NOT_FOUND');
    expect(await codeOf(upload(first, PDF, 'other', 'x.pdf', other))).to.equal('404 PORTING_NOT_FOUND');
    expect((await request('GET', '', undefined, other)).body?.data).to.deep.equal([]);
    const listed = async (query = ''): Promise<string[]> =>
      ((await request('GET', query)).body?.data as { id: string }[]).map(({ id }) => id);
    expect(await listed()).to.deep.equal([second, first]);
    expect(await listed('?status=submitted')).to.deep.equal([first]);
    expect(await listed('?limit=1')).to.deep.equal([second]);
  });

  it('hides requests, which are live, from sandbox keys', async () => {
    const id = await drafted();
    const { key: sandbox } = await api.key({ projectId, kind: 'sandbox' });
    expect(await codeOf(request('GET', `/${id}`, undefined, sandbox))).to.equal('404 PORTING_NOT_FOUND');
    expect((await request('GET', '', undefined, sandbox)).body?.data).to.deep.equal([]);
    expect((await request('GET', `/${id}`)).status).to.equal(200);
  });
});
