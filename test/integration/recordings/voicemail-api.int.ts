import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { AudioMediaStore } from '../../../adapters/media/media-store.js';
import { openApiDocument } from '../../../api/http/openapi.js';
import { voicemailRoutes } from '../../../api/routes/recordings/voicemail.js';
import { AudioFiles } from '../../../core/data/repositories/calls/audio-files.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { VoicemailBoxes } from '../../../core/data/repositories/voicemail/voicemail-boxes.js';
import { Voicemails } from '../../../core/data/repositories/voicemail/voicemails.js';
import type { VoicemailRow } from '../../../core/data/rows.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { newId } from '../../../core/model/ids.js';
import { RecordingLinks } from '../../../core/services/recordings/links.js';
import { VoicemailBoxService } from '../../../core/services/voicemail/boxes.js';
import { VoicemailPins } from '../../../core/services/voicemail/pins.js';
import { VoicemailService } from '../../../core/services/voicemail/messages.js';
import { RecordingSweep } from '../../../core/services/recordings/sweep.js';
import { recordingRoutes } from '../../../api/routes/recordings/recordings.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { toneWav } from '../../support/judges/audio.js';
import { quiet } from '../../support/logger.js';
import { RecordingsStage } from '../../support/stages/recordings-stage.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { insertRows, numberRow } from '../../support/rows/rows.js';
import { messageRow } from '../../support/rows/voicemail-rows.js';

const AUDIO = toneWav({ hz: 440, seconds: 2 });
const NUMBER = '+966112223344';

describe('Voicemail in the API', function () {
  this.timeout(60_000);
  let stage: RecordingsStage;
  let folder: string;
  let server: Server;
  let media: AudioMediaStore;
  let pins: VoicemailPins;
  let boxes: VoicemailBoxService;
  let api: TestApi;
  let routes: ReturnType<typeof voicemailRoutes>;
  let key: string;
  let numberId: string;
  let boxPath: string;
  let audioId: string;

  before(async () => {
    stage = await RecordingsStage.open();
    folder = mkdtempSync(path.join(tmpdir(), 'hatif-voicemail-'));
    media = new AudioMediaStore({ dir: path.join(folder, 'media'), allowLoopback: true });
    const { db } = stage.database;
    const { clock, recordings, removal, stores, ground } = stage;
    const cipher = new Cipher('a secret for links, of thirty-two characters');
    const files = new AudioFiles(db);
    const table = { boxes: new VoicemailBoxes(db), numbers: new Numbers(db) };
    pins = new VoicemailPins({ ...table, cipher, clock });
    boxes = new VoicemailBoxService({
      ...table,
      media,
      hasAudio: async (projectId, id) => (await files.get(projectId, id)) !== null,
      pins,
      clock,
    });
    const messages = new VoicemailService({
      ...{ voicemails: new Voicemails(db), recordings, removal, stores, clock },
      links: new RecordingLinks(cipher, clock),
    });
    const publicUrl = { value: '' };
    routes = voicemailRoutes({ boxes, messages, publicUrl: () => publicUrl.value });
    const audio = recordingRoutes({ read: stage.read, remove: stage.remove, publicUrl: () => publicUrl.value });
    api = await testApi({ db, routes: [...routes, ...audio], publicUrl });
    ({ key } = await api.key({ projectId: ground.projectId }));
    const number = numberRow(ground, NUMBER);
    numberId = number.id;
    boxPath = `/v1/numbers/${numberId}/voicemail`;
    await insertRows(db, 'numbers', [number]);
    audioId = newId();
    await media.put(audioId, AUDIO, ground.projectId);
    await files.createWithin(
      {
        ...{ id: audioId, project_id: ground.projectId, sandbox: false, name: 'greeting', duration_ms: 2000 },
        ...{ bytes: AUDIO.length, created_at: new Date() },
      },
      Infinity,
    );
    server = createServer((request, response) => {
      if (request.url === '/greeting.wav') response.end(AUDIO);
      else if (request.url === '/page') response.end('no audio');
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    await api.close();
    await media.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await stage.database.db.query('DELETE FROM voicemails');
    await stage.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => {
    stage.cable.restore();
    expect(api.faults).to.deep.equal([]);
  });

  const put = (json: object, of = key): Promise<Answer> => api.request('PUT', boxPath, { key: of, json });
  const get = (target: string, of = key): Promise<Answer> => api.request('GET', target, { key: of });
  const codeOf = ({ status, body }: Answer): unknown[] => [status, body?.error_code];
  const accepted = (answer: Answer): Record<string, unknown> => {
    expect([answer.status, answer.text]).to.deep.equal([200, answer.text]);
    return answer.body!;
  };
  const url = (target: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}${target}`;

  /** Creates a message in the box, as a call does. */
  async function leave(changes: Partial<VoicemailRow> = {}, recorded: object = {}): Promise<string> {
    await put({ enabled: true });
    const call = await stage.call({ direction: 'inbound', kind: 'inbound', recording_available: false });
    const recording = await stage.recording(call, AUDIO, { channels: 1, box_id: numberId, ...recorded });
    const row = messageRow(recording, numberId, changes);
    await insertRows(stage.database.db, 'voicemails', [row]);
    return row.id;
  }

  it('conforms to the OpenAPI contract', async () => {
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    const document = openApiDocument({ routes, version: '1', serverUrl: api.url });
    expect(documentProblems(document, routes)).to.deep.equal([]);
  });

  it('has a box for each number, disabled until it is configured', async () => {
    const other = numberRow(stage.ground, '+966112223355');
    await insertRows(stage.database.db, 'numbers', [other]);
    expect(accepted(await get(`/v1/numbers/${other.id}/voicemail`))).to.deep.equal({
      ...{ number_id: other.id, number: other.e164, enabled: false, greeting: null, max_seconds: 120 },
      ...{ transcribe: false, notify_email: null, notify_audio: true, notify_message: null, has_pin: false },
    });
  });

  it('is replaced as a whole, except its PIN', async () => {
    const greeting = { text: 'مرحبا', language: 'ar' };
    const wanted = {
      enabled: true,
      greeting,
      max_seconds: 30,
      transcribe: true,
      notify_email: 'office@example.com',
      notify_audio: false,
      notify_message: { channel: 'sms', to: '+966501234599', language: 'en', template: null },
    };
    const shown = accepted(await put({ ...wanted, pin: '1234' }));
    expect(shown).to.deep.equal({
      ...{ ...wanted, number_id: numberId, number: NUMBER, has_pin: true },
      greeting: { ...greeting, audio_id: null, audio_url: null, recorded_by_phone: false },
    });
    expect(accepted(await get(boxPath))).to.deep.equal(shown);
    expect(accepted(await put({ enabled: false }))).to.deep.include({
      ...{
        enabled: false,
        greeting: null,
        max_seconds: 120,
        transcribe: false,
        notify_email: null,
        notify_audio: true,
        notify_message: null,
        has_pin: true,
      },
    });
    expect(await pins.try(numberId, '1234')).to.equal('right');
    expect(accepted(await put({ enabled: true, pin: null }))).to.include({ has_pin: false });
    expect(await pins.try(numberId, '1234')).to.equal('wrong');
    const rows = await stage.database.db.query('SELECT pin_hash FROM voicemail_boxes');
    expect(JSON.stringify(rows)).not.to.include('1234');
  });

  it('greets with an uploaded file, or with audio from a URL that is fetched once', async () => {
    expect(accepted(await put({ enabled: true, greeting: { audio_id: audioId } })).greeting).to.include({
      audio_id: audioId,
    });
    expect(await boxes.audioUse(stage.ground.projectId, audioId)).to.deep.include({ en: `the voicemail of ${NUMBER}` });
    const audio_url = url('/greeting.wav');
    expect(accepted(await put({ enabled: true, greeting: { audio_url } })).greeting).to.include({ audio_url });
    const [row] = await stage.database.db.query<{ greeting: { media_id: string } }>(
      'SELECT greeting FROM voicemail_boxes WHERE number_id = $1',
      [numberId],
    );
    const storedAt = media.pathOf(row!.greeting.media_id);
    expect(storedAt).to.match(/uploads/);
    expect(await boxes.audioUse(stage.ground.projectId, audioId)).to.equal(null);
    // The same URL is not fetched again.
    expect(accepted(await put({ enabled: true, greeting: { audio_url, language: 'en' } })).greeting).to.include({
      audio_url,
      language: 'en',
    });
  });

  it('rejects invalid greetings', async () => {
    const bad = [
      {},
      { text: 'hello' },
      { language: 'en' },
      { text: 'hello', language: 'en', audio_id: audioId },
      { audio_id: newId() },
      { audio_url: url('/nothing') },
      { audio_url: url('/page') },
      { audio_url: 'http://10.0.0.1/greeting.wav' },
      { audio_url: 'https://localhost.invalid/greeting.wav' },
    ];
    for (const greeting of bad) {
      const answer = await put({ enabled: true, greeting });
      expect([greeting, ...codeOf(answer)]).to.deep.equal([greeting, 400, 'VOICEMAIL_GREETING_INVALID']);
    }
    for (const json of [
      { enabled: true, max_seconds: 4 },
      { enabled: true, max_seconds: 301 },
      { enabled: true, notify_email: 'nobody' },
      { enabled: true, pin: '12' },
      { enabled: true, pin: 'abcd' },
      {},
    ]) {
      expect((await put(json)).body?.error_code, JSON.stringify(json)).to.equal('VALIDATION_ERROR');
    }
  });

  it('belongs to its project', async () => {
    const id = await leave();
    const stranger = (await api.key()).key;
    expect(codeOf(await put({ enabled: true }, stranger))).to.deep.equal([404, 'NUMBER_NOT_FOUND']);
    expect(codeOf(await get(boxPath, stranger))).to.deep.equal([404, 'NUMBER_NOT_FOUND']);
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/recording'],
      ['POST', '/listened'],
      ['DELETE', ''],
    ] as const) {
      const answer = await api.request(method, `/v1/voicemails/${id}${rest}`, { key: stranger });
      expect([method, rest, ...codeOf(answer)]).to.deep.equal([method, rest, 404, 'VOICEMAIL_NOT_FOUND']);
    }
    expect(accepted(await get('/v1/voicemails', stranger)).data).to.deep.equal([]);
    const sandbox = (await api.key({ projectId: stage.ground.projectId, kind: 'sandbox' })).key;
    expect(accepted(await get('/v1/voicemails', sandbox)).data).to.deep.equal([]);
    expect(codeOf(await put({ enabled: true }, sandbox))).to.deep.equal([404, 'NUMBER_NOT_FOUND']);
  });

  it('is rejected if it is disabled for the organization', async () => {
    const owner = await api.owner({ voicemail: false });
    const off = (await api.key({ projectId: owner.projectId })).key;
    expect(codeOf(await get('/v1/voicemails', off))).to.deep.equal([503, 'VOICEMAIL_DISABLED']);
    expect(codeOf(await put({ enabled: true }, off))).to.deep.equal([503, 'VOICEMAIL_DISABLED']);
  });

  it('lists messages, newest first, by box and by whether they were listened to', async () => {
    await stage.database.db.query('DELETE FROM voicemails');
    const ids = [await leave(), await leave({ listened_at: new Date() }), await leave({ number: '+966112229999' })];
    const listed = async (query: string): Promise<unknown[]> =>
      (accepted(await get(`/v1/voicemails${query}`)).data as { id: string }[]).map(({ id }) => ids.indexOf(id));
    expect(await listed('')).to.deep.equal([2, 1, 0]);
    expect(await listed('?listened=true')).to.deep.equal([1]);
    expect(await listed('?listened=false')).to.deep.equal([2, 0]);
    expect(await listed(`?number=${encodeURIComponent(NUMBER)}`)).to.deep.equal([1, 0]);
    const first = accepted(await get('/v1/voicemails?limit=2'));
    expect(first.limit).to.equal(2);
    expect(await listed(`?limit=2&cursor=${String(first.next_cursor)}`)).to.deep.equal([0]);
    expect((await get('/v1/voicemails?limit=0')).status).to.equal(400);
    expect((await get('/v1/voicemails?limit=101')).status).to.equal(400);
    expect(codeOf(await get('/v1/voicemails?number=nobody'))).to.deep.equal([400, 'INVALID_PHONE_NUMBER']);
  });

  it('records once when a message was listened to', async () => {
    const id = await leave();
    const before = accepted(await get(`/v1/voicemails/${id}`));
    expect(before).to.include({ listened_at: null, from: '+966501234517', duration_seconds: 2 });
    const listen = () => api.request('POST', `/v1/voicemails/${id}/listened`, { key });
    const listened = accepted(await listen());
    expect(listened.listened_at).to.be.a('string');
    expect(accepted(await listen())).to.deep.equal(listened);
    expect(codeOf(await get('/v1/voicemails/none'))).to.deep.equal([404, 'VOICEMAIL_NOT_FOUND']);
  });

  it('returns a message’s audio through a link, also in ranges', async () => {
    const id = await leave();
    const link = accepted(await get(`/v1/voicemails/${id}/recording`));
    expect(link).to.include({ recording_id: id, channels: 1, format: 'wav', bytes: AUDIO.length, duration_seconds: 2 });
    const whole = await fetch(String(link.url));
    expect(Buffer.from(await whole.arrayBuffer()).equals(AUDIO)).to.equal(true);
    const part = await fetch(String(link.url), { headers: { Range: 'bytes=0-3' } });
    expect([part.status, await part.text()]).to.deep.equal([206, 'RIFF']);
  });

  it('reports that a message has no audio, or that its storage is unavailable', async () => {
    const lost = await leave({}, { storage_key: 'nowhere/lost.wav' });
    await stage.stores.of('local').remove('nowhere/lost.wav');
    const answer = await get(`/v1/voicemails/${lost}/recording`);
    expect(codeOf(answer)).to.deep.equal([404, 'VOICEMAIL_RECORDING_NOT_FOUND']);
    const inS3 = await leave({}, { storage: 's3' });
    stage.cable.cut();
    const unavailable = await get(`/v1/voicemails/${inS3}/recording`);
    expect(codeOf(unavailable)).to.deep.equal([503, 'VOICEMAIL_SERVICE_UNAVAILABLE']);
  });

  it('permanently deletes a message: its row, its text and its audio', async () => {
    const countBefore = stage.kept().local.length;
    const id = await leave({ transcription_status: 'completed', transcription_text: 'a secret' });
    const { url: link } = accepted(await get(`/v1/voicemails/${id}/recording`));
    expect(stage.kept().local).to.have.length(countBefore + 1);
    const remove = () => api.request('DELETE', `/v1/voicemails/${id}`, { key });
    expect((await remove()).status).to.equal(204);
    expect(stage.kept().local).to.have.length(countBefore);
    expect((await fetch(String(link))).status).to.equal(404);
    expect(codeOf(await remove())).to.deep.equal([404, 'VOICEMAIL_NOT_FOUND']);
    expect(await stage.database.db.query('SELECT 1 FROM voicemails WHERE id = $1', [id])).to.deep.equal([]);
  });

  it('keeps a message under legal hold', async () => {
    const id = await leave({}, { legal_hold: true });
    const answer = await api.request('DELETE', `/v1/voicemails/${id}`, { key });
    expect(codeOf(answer)).to.deep.equal([403, 'INSUFFICIENT_PERMISSIONS']);
    expect((await get(`/v1/voicemails/${id}`)).status).to.equal(200);
  });

  it('deletes messages together with recordings at the end of their retention', async () => {
    const ended_at = new Date(Date.now() - 3 * 86_400_000);
    const [old, young] = [await leave({}, { ended_at }), await leave()];
    const { db } = stage.database;
    await db.query('UPDATE projects SET recording_retention_days = 2');
    const { recordings, removal, clock } = stage;
    expect(await new RecordingSweep({ recordings, removal, clock, log: quiet }).run()).to.equal(1);
    await db.query('UPDATE projects SET recording_retention_days = NULL');
    expect((await get(`/v1/voicemails/${old}`)).status).to.equal(404);
    expect((await get(`/v1/voicemails/${young}`)).status).to.equal(200);
  });

  it('locks the box after five wrong PINs, even if they are entered concurrently', async () => {
    await put({ enabled: true, pin: '4711' });
    expect(await pins.try(numberId, '4711')).to.equal('right');
    const tries = await Promise.all(Array.from({ length: 8 }, (_, index) => pins.try(numberId, `000${index}`)));
    expect(tries.filter((outcome) => outcome === 'wrong')).to.have.length(5);
    expect(tries.filter((outcome) => outcome === 'locked')).to.have.length(3);
    expect(await pins.try(numberId, '4711')).to.equal('locked');
    await put({ enabled: true, pin: '4712' });
    expect(await pins.try(numberId, '4712')).to.equal('right');
  });
});
