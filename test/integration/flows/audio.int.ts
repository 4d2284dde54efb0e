import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { AudioMediaStore, MAX_AUDIO_BYTES } from '../../../adapters/media/index.js';
import { loudnessOf } from '../../../adapters/media/loudness.js';
import { audioRoutes } from '../../../api/routes/recordings/audio.js';
import type { Phrase } from '../../../core/model/errors/index.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { AudioService } from '../../../core/services/audio/audio.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { readWav, slice, toneShare, toneWav } from '../../support/judges/audio.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { openApiDocument } from '../../../api/http/openapi.js';

const PATH = '/v1/callflows/audio';
/** Room for two tones of 0.45 s in both of the store's formats, and for no third. */
const SMALL_QUOTA = 48_000;
/** 16-bit samples at 8 and at 16 kHz. */
const STORED_BYTES_PER_SECOND = 48_000;
const QUOTA = 1_000_000_000;
const TONE = toneWav({ hz: 440, seconds: 0.45 });
const MP3 = readFileSync(new URL('../../support/fixtures/tone-440-stereo-vbr-id3.mp3', import.meta.url));

interface AudioFile {
  readonly id: string;
  readonly name: string;
  readonly duration_seconds: number;
  readonly bytes: number;
  readonly created_at: string;
}

describe('Audio files of call flows', function () {
  this.timeout(60_000);

  let dir: string;
  let database: TestDatabase;
  let api: TestApi;
  let media: AudioMediaStore;
  let audio: AudioService;
  let key: string;
  let projectId: string;

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'hatif-audio-'));
    database = await testDatabase();
    media = new AudioMediaStore({ dir: path.join(dir, 'media') });
    audio = new AudioService({ db: database.db, media, clock: systemClock, quotaBytes: QUOTA });
    api = await testApi({ db: database.db, routes: audioRoutes({ audio }) });
  });

  beforeEach(async () => {
    ({ projectId } = await api.owner());
    ({ key } = await api.key({ projectId }));
  });

  after(async () => {
    await api.close();
    await media.close();
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  });

  afterEach(() => expect(api.faults).to.deep.equal([]));

  function form(bytes: Uint8Array | null, fileName = 'tone.wav', fields: Record<string, string> = {}): FormData {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.set(name, value);
    if (bytes) data.set('file', new Blob([Uint8Array.from(bytes)]), fileName);
    return data;
  }

  const upload = (raw: FormData, headers: Record<string, string> = {}): Promise<Answer> =>
    api.request('POST', PATH, { key, raw, headers });

  async function uploaded(raw: FormData): Promise<AudioFile> {
    const answer = await upload(raw);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body as unknown as AudioFile;
  }

  const stored = (): string[] =>
    existsSync(path.join(dir, 'media/uploads')) ? readdirSync(path.join(dir, 'media/uploads')) : [];

  function expectFault(answer: Answer, field: string): void {
    expect(answer.body).to.include({ error_code: 'VALIDATION_ERROR' });
    expect((answer.body?.details as { path: string }[])[0]?.path).to.equal(field);
  }

  it('conform to the contract of every route and are documented', async () => {
    const routes = audioRoutes({ audio });
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    const document = openApiDocument({ routes, version: '1', serverUrl: api.url }) as Record<string, unknown>;
    expect(documentProblems(document, routes)).to.deep.equal([]);
  });

  it('are accepted as WAV and MP3, by content and not by name', async () => {
    for (const [bytes, fileName] of [
      [TONE, 'welcome.mp3'],
      [MP3, 'welcome.txt'],
    ] as const) {
      const file = await uploaded(form(bytes, fileName));
      expect(Object.keys(file)).to.deep.equal(['id', 'name', 'duration_seconds', 'bytes', 'created_at']);
      expect(file).to.include({ name: fileName, bytes: bytes.length });
      for (const [extension, rate] of [
        ['.wav', 8000],
        ['.wav16', 16000],
      ] as const) {
        const sound = readWav(media.pathOf(file.id) + extension);
        expect(sound.sampleRate).to.equal(rate);
        expect(sound.seconds).to.be.closeTo(file.duration_seconds, 0.006);
        expect(toneShare(slice(sound, 0.1, 0.4), 440)).to.be.greaterThan(0.99);
      }
      expect(await audio.has({ projectId, sandbox: false }, file.id)).to.equal(true);
      expect(await audio.has({ projectId: newId(), sandbox: false }, file.id)).to.equal(false);
    }
  });

  it('have the name that the client gives', async () => {
    expect((await uploaded(form(TONE, 'tone.wav', { name: '  ترحيب  ' }))).name).to.equal('ترحيب');
    expect((await uploaded(form(TONE, 'ترحيب.wav'))).name).to.equal('ترحيب.wav');
    expect((await uploaded(form(TONE, '../../etc/passwd'))).name).to.equal('passwd');
    expectFault(await upload(form(TONE, 'tone.wav', { name: '' })), 'name');
    expectFault(await upload(form(TONE, 'tone.wav', { name: 'x'.repeat(129) })), 'name');
  });

  it('are listed per project, newest first, in pages', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await uploaded(form(TONE, `${i}.wav`))).id);
    const first = await api.request('GET', `${PATH}?limit=2`, { key });
    const page = first.body as { data: AudioFile[]; next_cursor: string; limit: number };
    expect(page.data.map(({ id }) => id)).to.deep.equal(ids.slice(0, 2));
    expect(page.limit).to.equal(2);
    await uploaded(form(TONE));
    const second = await api.request('GET', `${PATH}?limit=2&cursor=${page.next_cursor}`, { key });
    expect((second.body?.data as AudioFile[]).map(({ id }) => id)).to.deep.equal(ids.slice(2));
    expect(second.body?.next_cursor).to.equal(null);
    const stranger = await api.key();
    expect((await api.request('GET', PATH, { key: stranger.key })).body?.data).to.deep.equal([]);
    expectFault(await api.request('GET', `${PATH}?cursor=x`, { key }), 'cursor');
  });

  it('are deleted with their media, once, and only by their project', async () => {
    const { id } = await uploaded(form(TONE));
    const stranger = await api.key();
    const foreign = await api.request('DELETE', `${PATH}/${id}`, { key: stranger.key });
    expect([foreign.status, foreign.body?.error_code]).to.deep.equal([404, 'NOT_FOUND']);
    expect(existsSync(`${media.pathOf(id)}.wav`)).to.equal(true);
    const gone = await api.request('DELETE', `${PATH}/${id}`, { key });
    expect([gone.status, gone.text]).to.deep.equal([204, '']);
    expect(existsSync(`${media.pathOf(id)}.wav`)).to.equal(false);
    expect((await api.request('DELETE', `${PATH}/${id}`, { key })).status).to.equal(404);
    expect((await api.request('DELETE', `${PATH}/nonsense`, { key })).status).to.equal(404);
  });

  it('cannot be deleted while a flow or queue plays them', async () => {
    const { id } = await uploaded(form(TONE));
    let user: Phrase | null = { en: 'the queue sales', ar: 'قائمة الانتظار sales' };
    const used = new AudioService({
      db: database.db,
      media,
      clock: systemClock,
      quotaBytes: QUOTA,
      uses: [() => Promise.resolve(user)],
    });
    const usedApi = await testApi({ db: database.db, routes: audioRoutes({ audio: used }) });
    try {
      const refused = await usedApi.request('DELETE', `${PATH}/${id}`, { key });
      expect(refused.status).to.equal(400);
      expectFault(refused, 'id');
      expect(refused.text).to.contain('is used by the queue sales').and.contain('قائمة الانتظار sales');
      expect(existsSync(`${media.pathOf(id)}.wav`)).to.equal(true);
      user = null;
      expect((await usedApi.request('DELETE', `${PATH}/${id}`, { key })).status).to.equal(204);
    } finally {
      await usedApi.close();
    }
  });

  it('are normalized to one loudness', async () => {
    for (const level of [0.02, 0.9]) {
      const { id } = await uploaded(form(toneWav({ hz: 1000, seconds: 1, level })));
      for (const extension of ['.wav', '.wav16']) {
        const { samples, sampleRate } = readWav(media.pathOf(id) + extension);
        expect(loudnessOf(Float32Array.from(samples), sampleRate)).to.be.closeTo(-20, 2);
      }
    }
  });

  it('are refused if they are not audio, and leave nothing behind', async () => {
    const before = stored();
    for (const bytes of [
      Buffer.from('<html>'),
      Buffer.alloc(0),
      TONE.subarray(0, 20),
      TONE.subarray(0, 2000),
      Buffer.concat([TONE, Buffer.from('PK')]),
      Buffer.concat([Buffer.from('<script>'), MP3]),
    ]) {
      const answer = await upload(form(bytes));
      expectFault(answer, 'file');
      expect(answer.text).to.match(/[\u0600-\u06ff]/);
    }
    expectFault(await upload(form(null)), 'file');
    expectFault(await upload(form(TONE, 'tone.wav', { unknown: 'x' })), 'unknown');
    const misnamed = new FormData();
    misnamed.append('other', new Blob([Uint8Array.from(TONE)]), 'tone.wav');
    expectFault(await upload(misnamed), 'other');
    expect(stored()).to.deep.equal(before);
    expect((await api.request('GET', PATH, { key })).body?.data).to.deep.equal([]);
  });

  it('are refused if the upload is compressed', async () => {
    const packed = new Response(form(TONE));
    const answer = await api.request('POST', PATH, {
      key,
      raw: Uint8Array.from(gzipSync(Buffer.from(await packed.arrayBuffer()))),
      headers: { 'Content-Type': packed.headers.get('content-type') ?? '', 'Content-Encoding': 'gzip' },
    });
    expect([answer.status, answer.body?.error_code]).to.deep.equal([400, 'VALIDATION_ERROR']);
    expect((await api.request('GET', PATH, { key })).body?.data).to.deep.equal([]);
  });

  it('are refused above 10 MB', async () => {
    const answer = await upload(form(Buffer.alloc(MAX_AUDIO_BYTES + 1)));
    expect([answer.status, answer.body?.error_code]).to.deep.equal([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('are created once per Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'upload-1' };
    const first = await upload(form(TONE), headers);
    const again = await upload(form(TONE), headers);
    expect(again.body).to.deep.equal(first.body);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    const other = await upload(form(toneWav({ hz: 700, seconds: 0.1 })), headers);
    expect(other.body?.error_code).to.equal('IDEMPOTENCY_KEY_CONFLICT');
    expect((await api.request('GET', PATH, { key })).body?.data).to.have.length(1);
  });

  it('leave no media behind if the row cannot be written', async () => {
    const before = stored();
    let failed: unknown;
    await audio
      .add({ projectId: newId(), sandbox: false }, { audio: TONE, bytes: TONE.length, fileName: 'tone.wav' })
      .catch((error: unknown) => (failed = error));
    expect(failed).to.be.instanceOf(Error);
    expect(stored()).to.deep.equal(before);
  });

  describe('within the quota of a project', () => {
    let small: TestApi;
    before(async () => {
      const limited = new AudioService({ db: database.db, media, clock: systemClock, quotaBytes: SMALL_QUOTA });
      small = await testApi({ db: database.db, routes: audioRoutes({ audio: limited }) });
    });
    after(() => small.close());
    const add = () => small.request('POST', PATH, { key, raw: form(TONE) });

    it('are refused once they are too many, and accepted again after a deletion', async () => {
      const first = await add();
      const second = await add();
      expect([first.status, second.status]).to.deep.equal([201, 201]);
      const before = stored();
      const third = await add();
      expect([third.status, third.body?.error_code]).to.deep.equal([409, 'AUDIO_QUOTA_EXCEEDED']);
      expect(stored()).to.deep.equal(before);
      const { key: other } = await api.key({ projectId: (await api.owner()).projectId });
      expect((await small.request('POST', PATH, { key: other, raw: form(TONE) })).status).to.equal(201);
      const { id } = first.body as unknown as AudioFile;
      expect((await small.request('DELETE', `${PATH}/${id}`, { key })).status).to.equal(204);
      expect((await add()).status).to.equal(201);
    });

    it('are reported with what they use and may use, as they are stored', async () => {
      const usage = async (): Promise<unknown> => (await small.request('GET', `${PATH}/usage`, { key })).body;
      expect(await usage()).to.deep.equal({ files: 0, bytes_used: 0, bytes_allowed: SMALL_QUOTA });
      const { id, duration_seconds } = (await add()).body as unknown as AudioFile;
      const oneTone = duration_seconds * STORED_BYTES_PER_SECOND;
      expect(await usage()).to.deep.equal({ files: 1, bytes_used: oneTone, bytes_allowed: SMALL_QUOTA });
      await add();
      const full = { files: 2, bytes_used: 2 * oneTone, bytes_allowed: SMALL_QUOTA };
      expect(await usage()).to.deep.equal(full);
      expect((await add()).body?.error_code).to.equal('AUDIO_QUOTA_EXCEEDED');
      expect(await usage(), 'a refused upload uses nothing').to.deep.equal(full);
      expect((await small.request('DELETE', `${PATH}/${id}`, { key })).status).to.equal(204);
      expect(await usage()).to.deep.equal({ ...full, files: 1, bytes_used: oneTone });
    });

    it('are reported beyond a quota that was reduced', async () => {
      const before = await uploaded(form(toneWav({ hz: 440, seconds: 2 })));
      const bytes_used = before.duration_seconds * STORED_BYTES_PER_SECOND;
      const answer = await small.request('GET', `${PATH}/usage`, { key });
      expect(answer.body).to.deep.equal({ files: 1, bytes_used, bytes_allowed: SMALL_QUOTA });
      expect((await add()).body?.error_code).to.equal('AUDIO_QUOTA_EXCEEDED');
    });

    it('are reported to keys of their project and kind with the scope, without any parameter', async () => {
      expect((await add()).status).to.equal(201);
      const empty = { files: 0, bytes_used: 0, bytes_allowed: SMALL_QUOTA };
      const usage = (of: string, query = ''): Promise<Answer> =>
        small.request('GET', `${PATH}/usage${query}`, { key: of });
      const stranger = await api.key({ projectId: (await api.owner()).projectId });
      const sandboxed = await api.key({ projectId, kind: 'sandbox' });
      for (const other of [stranger, sandboxed]) expect((await usage(other.key)).body).to.deep.equal(empty);
      const reader = await api.key({ projectId, scopes: ['callflows:read'] });
      expect((await usage(reader.key)).body).to.include({ files: 1 });
      const outsider = await api.key({ projectId, scopes: ['calls:read'] });
      expect((await usage(outsider.key)).body?.error_code).to.equal('INSUFFICIENT_PERMISSIONS');
      expectFault(await usage(key, `?project_id=${newId()}`), 'project_id');
      const off = await api.key({ projectId: (await api.owner({ callflows: false })).projectId });
      const refused = await usage(off.key);
      expect([refused.status, refused.body?.error_code]).to.deep.equal([503, 'IVR_DISABLED']);
      const removal = await small.request('DELETE', `${PATH}/usage`, { key });
      expect([removal.status, removal.body?.error_code]).to.deep.equal([404, 'NOT_FOUND']);
    });

    it('are counted one after another when they come together', async () => {
      const answers = await Promise.all([add(), add(), add(), add()]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 201, 409, 409]);
      expect(small.faults).to.deep.equal([]);
    });
  });

  it('answer with an error if they cannot be stored or deleted, and can be retried', async () => {
    const blocked = mkdtempSync(path.join(tmpdir(), 'hatif-audio-'));
    writeFileSync(path.join(blocked, 'media'), 'a file where the folder should be');
    const broken = new AudioMediaStore({ dir: path.join(blocked, 'media') });
    const service = new AudioService({ db: database.db, media: broken, clock: systemClock, quotaBytes: QUOTA });
    const brokenApi = await testApi({ db: database.db, routes: audioRoutes({ audio: service }) });
    try {
      const answer = await brokenApi.request('POST', PATH, { key, raw: form(TONE) });
      expect([answer.status, answer.body?.error_code]).to.deep.equal([503, 'CALLFLOW_AUDIO_SERVICE_UNAVAILABLE']);
      const { id } = await uploaded(form(TONE));
      const removal = await brokenApi.request('DELETE', `${PATH}/${id}`, { key });
      expect([removal.status, removal.body?.error_code]).to.deep.equal([503, 'CALLFLOW_AUDIO_SERVICE_UNAVAILABLE']);
      expect((await api.request('DELETE', `${PATH}/${id}`, { key })).status).to.equal(204);
      expect(brokenApi.faults).to.deep.equal([]);
    } finally {
      await brokenApi.close();
      await broken.close();
      rmSync(blocked, { recursive: true, force: true });
    }
  });
});
