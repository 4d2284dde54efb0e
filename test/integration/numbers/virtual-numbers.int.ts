import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { AudioMediaStore } from '../../../adapters/media/media-store.js';
import { openApiDocument } from '../../../api/http/openapi.js';
import type { Route } from '../../../api/http/route.js';
import { virtualNumberRoutes } from '../../../api/routes/numbers/virtual-numbers.js';
import { Contacts } from '../../../core/data/repositories/contacts/contacts.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { newId } from '../../../core/model/ids.js';
import { SpeechError } from '../../../core/ports/speech.js';
import { openVirtualNumbers } from '../../../main/wiring/virtual-numbers.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { toneWav } from '../../support/judges/audio.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { quiet } from '../../support/logger.js';
import { numberStage, type NumberStage } from '../../support/stages/number-stage.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { systemClock } from '../../../core/ports/clock.js';

interface Virtual {
  readonly id: string;
  readonly e164: string;
  readonly instructions: Record<string, unknown>;
}

describe('the virtual numbers API', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: NumberStage;
  let api: TestApi;
  let routes: readonly Route[];
  let key: string;
  let projectId: string;
  let media: AudioMediaStore;
  let folder: string;
  let server: Server;

  before(async () => {
    server = createServer((_, res) => void res.end(toneWav({ hz: 440, seconds: 1 })));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => void server.close());
  beforeEach(async () => {
    database = await testDatabase();
    folder = await mkdtemp(join(tmpdir(), 'hatif-virtual-'));
    // A range of twelve numbers that are not imported.
    stage = numberStage(database.url, { NUMBER_RANGES: '+966115551000-+966115551009,+966125551000-+966125551001' });
    media = new AudioMediaStore({ dir: folder, allowLoopback: true });
    routes = virtualNumberRoutes(
      openVirtualNumbers({
        stores: stage.stores,
        numbering: stage,
        media,
        // Speech synthesis is unavailable: the text is synthesized when someone calls.
        speech: { languages: new Set(), synthesize: () => Promise.reject(new SpeechError('no voice')) },
        checkDestination: (number, field) =>
          number.startsWith('+966')
            ? Promise.resolve()
            : Promise.reject(new HatifError('INVALID_PHONE_NUMBER', { field })),
        announce: () => Promise.resolve(),
        clock: systemClock,
        log: quiet,
      }),
    );
    api = await testApi({ db: database.db, routes: [...routes, ...stage.routes] });
    ({ projectId } = await api.owner());
    ({ key } = await api.key({ projectId }));
  });
  afterEach(async () => {
    await api.close();
    await stage.close();
    await media.close();
    await database.close();
    await rm(folder, { recursive: true });
    expect(api.faults).to.deep.equal([]);
  });

  const request = (method: string, path: string, json?: object, as = key): Promise<Answer> =>
    api.request(method, `/v1${path}`, { key: as, ...(json && { json }) });
  const codeOf = async (answer: Promise<Answer>): Promise<string> => {
    const { status, body } = await answer;
    const [detail] = (body?.details ?? []) as { path: string }[];
    return `${status} ${String(body?.error_code)}${detail ? ` ${detail.path}` : ''}`;
  };
  const dataOf = ({ body }: Answer): Virtual => body?.data as Virtual;
  async function allocated(json: object = {}): Promise<Virtual> {
    const answer = await request('POST', '/virtual-numbers', { external_user_id: 'u-1', ...json });
    expect(answer.status, answer.text).to.equal(201);
    return dataOf(answer);
  }
  const audioUrl = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/greeting.wav`;
  const audioOf = async (id: string): Promise<{ audio_id: string | null; audio_path: string | null }> => {
    const row = await stage.stores.virtualNumbers.get(projectId, id);
    return { audio_id: row?.audio_id ?? null, audio_path: row?.audio_path ?? null };
  };

  it('conforms to the OpenAPI contract', async () => {
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    const document = openApiDocument({ routes, version: '1', serverUrl: '' });
    expect(documentProblems(document, routes)).to.deep.equal([]);
  });

  it('gives an end user one number, and the same one to a retry', async () => {
    const first = await request('POST', '/virtual-numbers', {
      external_user_id: 'u-1',
      display_name: 'سارة',
      prefix: '011',
      instructions: { text: 'مرحبا', forward_to: '0501234567' },
    });
    expect(first.status, first.text).to.equal(201);
    expect(dataOf(first)).to.deep.include({
      e164: '+966115551000',
      status: 'assigned',
      external_user_id: 'u-1',
      display_name: 'سارة',
      contact_id: null,
      instructions: { text: 'مرحبا', audio_url: null, language: 'ar', forward_to: '+966501234567' },
      released_at: null,
    });
    const again = await request('POST', '/virtual-numbers', {
      external_user_id: 'u-1',
      display_name: 'Another',
      prefix: '012',
      instructions: { audio_url: 'http://10.0.0.1/x.wav' },
    });
    expect(again.status).to.equal(200);
    expect(again.body).to.deep.equal(first.body);
    // An invalid rest of the body changes nothing either.
    for (const rest of [
      { prefix: 'abc' },
      { display_name: '' },
      { instructions: { forward_to: '12' } },
      { colour: 1 },
    ]) {
      const retry = await request('POST', '/virtual-numbers', { external_user_id: 'u-1', ...rest });
      expect([retry.status, retry.body], JSON.stringify(rest)).to.deep.equal([200, first.body]);
    }
    expect(await allocated({ external_user_id: 'u-2', prefix: '012' })).to.deep.include({ e164: '+966125551000' });
    const events = await database.db.query(
      `SELECT data->>'e164' AS e164 FROM events WHERE type = 'number.assigned' ORDER BY id`,
    );
    expect(events).to.deep.equal([{ e164: '+966115551000' }, { e164: '+966125551000' }]);
  });

  it('names a live contact of the project, as long as there is one', async () => {
    const { db } = database;
    await allocated({ external_user_id: 'c-0' });
    const [{ project_id, organization_id } = { project_id: '', organization_id: '' }] = await db.query<{
      project_id: string;
      organization_id: string;
    }>('SELECT project_id, organization_id FROM virtual_numbers LIMIT 1');
    const at = new Date();
    const contact = (sandbox: boolean) => ({
      ...{ id: newId(), organization_id, project_id, sandbox, phone: null, email: `${newId()}@example.com` },
      ...{ name_en: null, name_ar: 'سارة', language: 'ar' as const, time_zone: null, tags: [], custom_fields: {} },
      ...{ created_at: at, updated_at: at, marketing_opted_out: false },
    });
    const [own, sandboxed] = [contact(false), contact(true)];
    for (const row of [own, sandboxed]) await new Contacts(db).insert(row);
    const of = (contact_id: string, external_user_id: string) =>
      request('POST', '/virtual-numbers', { external_user_id, contact_id });
    expect(await codeOf(of(sandboxed.id, 'c-1'))).to.equal('400 VALIDATION_ERROR contact_id');
    const made = await of(own.id, 'c-2');
    expect(dataOf(made)).to.include({ contact_id: own.id });
    await db.query('DELETE FROM contacts WHERE id = $1', [own.id]);
    const { body } = await request('GET', `/virtual-numbers/${dataOf(made).id}`);
    expect((body?.data as { contact_id: unknown }).contact_id).to.equal(null);
  });

  it('gives an end user one number for fifty concurrent requests, and never more numbers than exist', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        request('POST', '/virtual-numbers', { external_user_id: 'u-1', prefix: '+96612' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    expect(answers.filter(({ status }) => status === 200)).to.have.length(49);
    expect(new Set(answers.map((answer) => dataOf(answer).id)).size).to.equal(1);
    // Twelve numbers for fifty end users.
    const many = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        request('POST', '/virtual-numbers', { external_user_id: `many-${index}` }),
      ),
    );
    const allocatedNumbers = many.filter(({ status }) => status === 201).map((answer) => dataOf(answer).e164);
    expect(new Set(allocatedNumbers).size).to.equal(allocatedNumbers.length);
    expect(allocatedNumbers).to.have.length(11);
    expect(new Set(many.filter(({ status }) => status !== 201).map(({ body }) => body?.error_code))).to.deep.equal(
      new Set(['NUMBER_NOT_AVAILABLE']),
    );
  });

  it('rejects invalid input without taking a number', async () => {
    const refused: [object, string][] = [
      [{ external_user_id: '' }, '400 VALIDATION_ERROR external_user_id'],
      [{ external_user_id: 7 }, '400 VALIDATION_ERROR external_user_id'],
      [{ prefix: 'abc' }, '400 VALIDATION_ERROR prefix'],
      [{ contact_id: newId() }, '400 VALIDATION_ERROR contact_id'],
      [{ contact_id: 'x' }, '400 VALIDATION_ERROR contact_id'],
      [{ instructions: { language: 'fr' } }, '400 VALIDATION_ERROR instructions.language'],
      [{ instructions: { forward_to: '12' } }, '400 INVALID_PHONE_NUMBER instructions.forward_to'],
      [{ instructions: { forward_to: '+14155550123' } }, '400 INVALID_PHONE_NUMBER'],
      [{ instructions: { audio_url: 'http://10.0.0.1/a.wav' } }, '400 INVALID_PLAY_URL'],
      [{ instructions: { audio_url: 'https://169.254.169.254/latest' } }, '400 INVALID_PLAY_URL'],
      [{ instructions: { audio_url: 'file:///etc/passwd' } }, '400 INVALID_PLAY_URL'],
      [{ prefix: '+96617' }, '409 NUMBER_NOT_AVAILABLE'],
    ];
    for (const [json, code] of refused) {
      const answer = request('POST', '/virtual-numbers', { external_user_id: 'u-1', ...json });
      expect(await codeOf(answer), JSON.stringify(json)).to.equal(code);
    }
    expect((await request('GET', '/virtual-numbers')).body?.data).to.deep.equal([]);
    expect((await request('GET', '/numbers')).body?.data).to.deep.equal([]);
  });

  it('fetches audio in advance, stores it, and deletes it when it is no longer needed', async () => {
    const { id } = await allocated({ instructions: { audio_url: audioUrl() } });
    const first = await audioOf(id);
    expect(existsSync(`${String(first.audio_path)}.wav`)).to.equal(true);
    const changed = await request('PUT', `/virtual-numbers/${id}/instructions`, {
      text: 'Hello',
      audio_url: audioUrl(),
    });
    expect(dataOf(changed).instructions).to.deep.equal({
      text: 'Hello',
      audio_url: audioUrl(),
      language: 'en',
      forward_to: null,
    });
    const second = await audioOf(id);
    expect(second.audio_id).not.to.equal(first.audio_id);
    expect(existsSync(`${String(first.audio_path)}.wav`)).to.equal(false);
    expect(existsSync(`${String(second.audio_path)}.wav`)).to.equal(true);
    expect(
      await codeOf(request('PUT', `/virtual-numbers/${id}/instructions`, { audio_url: 'http://10.0.0.1/a' })),
    ).to.equal('400 INVALID_PLAY_URL');
    expect(await audioOf(id)).to.deep.equal(second);
    await request('DELETE', `/virtual-numbers/${id}`);
    expect(existsSync(`${String(second.audio_path)}.wav`)).to.equal(false);
  });

  it('cannot forward to itself', async () => {
    const { id, e164 } = await allocated();
    expect(await codeOf(request('PUT', `/virtual-numbers/${id}/instructions`, { forward_to: e164 }))).to.equal(
      '400 VALIDATION_ERROR forward_to',
    );
  });

  it('are listed, found by end user, and hidden from other projects', async () => {
    const [one, two] = [await allocated(), await allocated({ external_user_id: 'u-2' })];
    const list = async (query = ''): Promise<unknown[]> =>
      ((await request('GET', `/virtual-numbers${query}`)).body?.data as Virtual[]).map(({ id }) => id);
    expect(await list()).to.deep.equal([two.id, one.id]);
    expect(await list('?limit=1')).to.deep.equal([two.id]);
    expect(await list('?external_user_id=u-1')).to.deep.equal([one.id]);
    expect(await list('?status=released')).to.deep.equal([]);
    expect(dataOf(await request('GET', `/virtual-numbers/${one.id}`))).to.deep.equal(one);
    const { key: other } = await api.key();
    const path = `/virtual-numbers/${one.id}`;
    expect(await codeOf(request('GET', path, undefined, other))).to.equal('404 NUMBER_NOT_FOUND');
    expect(await codeOf(request('DELETE', path, undefined, other))).to.equal('404 NUMBER_NOT_FOUND');
    expect(await codeOf(request('PUT', `${path}/instructions`, {}, other))).to.equal('404 NUMBER_NOT_FOUND');
    expect((await request('GET', '/virtual-numbers', undefined, other)).body?.data).to.deep.equal([]);
  });

  it('are live, and hidden from sandbox keys', async () => {
    const { id } = await allocated();
    const { key: sandbox } = await api.key({ projectId, kind: 'sandbox' });
    const path = `/virtual-numbers/${id}`;
    expect(await codeOf(request('GET', path, undefined, sandbox))).to.equal('404 NUMBER_NOT_FOUND');
    expect((await request('GET', '/virtual-numbers', undefined, sandbox)).body?.data).to.deep.equal([]);
    expect((await request('GET', path)).status).to.equal(200);
  });

  it('are released once; the number is in quarantine, and the end user can get another one', async () => {
    const first = await allocated({ instructions: { text: 'Hello' } });
    // The number belongs to its end user.
    const [number] = (await request('GET', '/numbers')).body?.data as { id: string; binding: object }[];
    expect(number?.binding).to.deep.equal({ type: 'virtual_number', target: first.id });
    expect(await codeOf(request('DELETE', `/numbers/${String(number?.id)}`))).to.equal('409 NUMBER_ALREADY_ASSIGNED');
    const released = await request('DELETE', `/virtual-numbers/${first.id}`);
    expect(released.status).to.equal(200);
    expect(dataOf(released)).to.deep.include({ id: first.id, status: 'released', e164: first.e164 });
    const again = await request('DELETE', `/virtual-numbers/${first.id}`);
    expect([again.status, again.body]).to.deep.equal([200, released.body]);
    expect(await codeOf(request('PUT', `/virtual-numbers/${first.id}/instructions`, {}))).to.equal(
      '404 NUMBER_NOT_FOUND',
    );
    expect((await stage.stores.inventory.find(first.e164))?.state).to.equal('quarantined');
    expect((await request('GET', '/numbers')).body?.data).to.deep.equal([]);
    const second = await allocated();
    expect(second.e164).not.to.equal(first.e164);
    expect(second.id).not.to.equal(first.id);
    const sent = await database.db.query<{ type: string }>(`SELECT type FROM events ORDER BY id`);
    expect(sent.map(({ type }) => type)).to.deep.equal(['number.assigned', 'number.released', 'number.assigned']);
  });
});
