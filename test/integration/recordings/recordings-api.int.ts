import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import type { CallRow, LegRecordingRow, RecordingRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { listAuditRows } from '../../../core/data/repositories/accounts/audit.js';
import { ask, type Answer } from '../../support/api.js';
import { eventually } from '../../support/eventually.js';
import { RecordingsStage } from '../../support/stages/recordings-stage.js';
import { documentProblems, envelopeProblems, routeProblems } from '../../support/judges/route-contract.js';

const AUDIO = randomBytes(100_000);
const LINK_MS = 600_000;

describe('Recordings in the API', function () {
  this.timeout(60_000);
  let stage: RecordingsStage;
  let api: Awaited<ReturnType<RecordingsStage['api']>>;
  let key: string;
  before(async () => {
    stage = await RecordingsStage.open();
    api = await stage.api();
    ({ key } = await api.key({ projectId: stage.ground.projectId }));
  });
  after(async () => {
    await api.close();
    await stage.close();
  });
  afterEach(() => {
    stage.clock.aheadMs = 0;
    stage.cable.restore();
    expect(api.faults).to.deep.equal([]);
  });

  const get = (path: string) => api.request('GET', path, { key });
  const link = async (call: CallRow, query = ''): Promise<Record<string, unknown>> => {
    const answer = await get(`/v1/calls/${call.id}/recording${query}`);
    expect([answer.status, answer.text]).to.deep.equal([200, answer.text]);
    return answer.body ?? {};
  };
  /** Path and query of a link to the call's recording. */
  const target = async (call: CallRow): Promise<string> => String((await link(call)).url).slice(api.url.length);
  const codeOf = ({ status, body }: Answer): unknown[] => [status, body?.error_code];
  const recorded = async (changes: Partial<LegRecordingRow> = {}): Promise<{ call: CallRow; row: RecordingRow }> => {
    const call = await stage.call();
    return { call, row: await stage.recording(call, AUDIO, changes) };
  };

  it('conform to the OpenAPI contract', async () => {
    expect(await routeProblems(api, api.routes)).to.deep.equal([]);
    const document = openApiDocument({ routes: api.routes, version: '1', serverUrl: api.url });
    expect(documentProblems(document, api.routes)).to.deep.equal([]);
  });

  it('require a live key', async () => {
    const { call } = await recorded();
    const sandbox = await api.key({ projectId: stage.ground.projectId, kind: 'sandbox' });
    for (const [method, path] of [
      ['GET', 'recording'],
      ['GET', 'recordings'],
      ['DELETE', 'recording'],
    ] as const) {
      const answer = await api.request(method, `/v1/calls/${call.id}/${path}`, { key: sandbox.key });
      expect(codeOf(answer)).to.deep.equal([403, 'SANDBOX_KEY_NOT_ALLOWED']);
    }
  });

  it('of another project are not found', async () => {
    const { call } = await recorded();
    const stranger = await api.key();
    for (const path of ['recording', 'recordings']) {
      const answer = await api.request('GET', `/v1/calls/${call.id}/${path}`, { key: stranger.key });
      expect(codeOf(answer)).to.deep.equal([404, 'CALL_NOT_FOUND']);
    }
    const answer = await api.request('DELETE', `/v1/calls/${call.id}/recording`, { key: stranger.key });
    expect(codeOf(answer)).to.deep.equal([404, 'CALL_NOT_FOUND']);
    expect((await stage.row((await recorded()).row)).status).to.equal('available');
  });

  for (const storage of ['local', 's3'] as const) {
    it(`can be read through a link from the ${storage} storage, without a key`, async () => {
      const { call, row } = await recorded({ storage });
      const before = Date.now();
      const { url, expires_at, ...rest } = await link(call);
      expect(rest).to.deep.equal({
        recording_id: row.id,
        duration_seconds: 1.5,
        channels: 2,
        format: 'wav',
        bytes: AUDIO.length,
      });
      expect(Date.parse(String(expires_at))).to.be.within(before + LINK_MS - 1000, Date.now() + LINK_MS);
      const response = await fetch(String(url));
      expect(response.status).to.equal(200);
      expect(Buffer.from(await response.arrayBuffer()).equals(AUDIO)).to.equal(true);
      const headers = Object.fromEntries(response.headers);
      expect(headers).to.include({
        'accept-ranges': 'bytes',
        'content-type': 'audio/wav',
        'content-length': String(AUDIO.length),
        'content-disposition': `attachment; filename="${row.id}.wav"`,
        'cross-origin-resource-policy': 'cross-origin',
        etag: `"${row.id}"`,
      });
      const [, age] = /^private, max-age=(\d+)$/.exec(headers['cache-control'] ?? '') ?? [];
      expect(Number(age)).to.be.within(1, LINK_MS / 1000);
    });

    it(`can be read in ranges from the ${storage} storage`, async () => {
      const { call, row } = await recorded({ storage });
      const path = await target(call);
      const range = (value: string, headers: Record<string, string> = {}) =>
        fetch(api.url + path, { headers: { Range: value, ...headers } });
      const last = AUDIO.length - 1;
      const ranges: readonly [string, number, number][] = [
        ['bytes=0-99', 0, 99],
        ['bytes=1000-1999', 1000, 1999],
        ['bytes=99000-', 99_000, last],
        ['bytes=-500', last - 499, last],
        ['bytes=50-999999999', 50, last],
        ['bytes=-999999999', 0, last],
      ];
      for (const [value, start, end] of ranges) {
        const response = await range(value);
        expect([value, response.status]).to.deep.equal([value, 206]);
        expect(response.headers.get('content-range')).to.equal(`bytes ${start}-${end}/${AUDIO.length}`);
        expect(response.headers.get('content-length')).to.equal(String(end - start + 1));
        const body = Buffer.from(await response.arrayBuffer());
        expect(body.equals(AUDIO.subarray(start, end + 1))).to.equal(true);
      }
      for (const value of [`bytes=${AUDIO.length}-`, 'bytes=999999999-', 'bytes=-0']) {
        const answer = await ask(api.url, 'GET', path, { headers: { Range: value } });
        expect([value, ...codeOf(answer)]).to.deep.equal([value, 416, 'VALIDATION_ERROR']);
        expect(envelopeProblems(answer, api)).to.deep.equal([]);
        expect(answer.body?.details).to.have.nested.property('[0].path', 'Range');
        expect(answer.headers.get('content-range')).to.equal(`bytes */${AUDIO.length}`);
        expect(answer.headers.get('content-disposition')).to.equal(null);
      }
      for (const value of ['bytes=0-1,5-6', 'bytes=9-5', 'bytes=-', 'seconds=0-1', 'bytes=a-b', 'nonsense']) {
        const response = await range(value);
        expect([value, response.status]).to.deep.equal([value, 200]);
        expect((await response.arrayBuffer()).byteLength).to.equal(AUDIO.length);
      }
      expect((await range('bytes=0-99', { 'If-Range': `"${row.id}"` })).status).to.equal(206);
      expect((await range('bytes=0-99', { 'If-Range': '"another"' })).status).to.equal(200);
      expect((await range('bytes=0-99', { 'If-Range': new Date().toUTCString() })).status).to.equal(200);
    });
  }

  it('answer HEAD without a body', async () => {
    const { call, row } = await recorded();
    const response = await fetch(api.url + (await target(call)), { method: 'HEAD', headers: { Range: 'bytes=0-9' } });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-length')).to.equal(String(AUDIO.length));
    expect(response.headers.get('etag')).to.equal(`"${row.id}"`);
    expect(await response.text()).to.equal('');
  });

  it('default to the newest recording of the call', async () => {
    const call = await stage.call();
    const first = await stage.recording(call, AUDIO);
    const second = await stage.recording(call, AUDIO);
    await stage.recording(call, AUDIO, { status: 'recording', storage: null, storage_key: null });
    expect((await link(call)).recording_id).to.equal(second.id);
    expect((await link(call, `?recording_id=${first.id}`)).recording_id).to.equal(first.id);
    const other = await get(`/v1/calls/${call.id}/recording?recording_id=${(await recorded()).row.id}`);
    expect(codeOf(other)).to.deep.equal([404, 'RECORDING_NOT_FOUND']);
    const malformed = await get(`/v1/calls/${call.id}/recording?recording_id=none`);
    expect(malformed.body?.error_code).to.equal('VALIDATION_ERROR');
  });

  it('are listed in every state', async () => {
    const call = await stage.call();
    const statuses = ['available', 'failed', 'deleted', 'paused'] as const;
    const rows: RecordingRow[] = [];
    for (const status of statuses) rows.push(await stage.recording(call, AUDIO, { status, legal_hold: true }));
    const answer = await get(`/v1/calls/${call.id}/recordings`);
    expect(answer.status).to.equal(200);
    const data = answer.body?.data as Record<string, unknown>[];
    expect(data.map(({ recording_id, status }) => [recording_id, status])).to.deep.equal(
      rows.map(({ id, status }) => [id, status]),
    );
    expect(data[0]).to.include({ call_id: call.id, leg: 'customer', legal_hold: true, duration_seconds: 1.5 });
    const none = await get(`/v1/calls/${(await stage.call()).id}/recordings`);
    expect(none.body).to.deep.equal({ data: [] });
  });

  it('are not found if none is available', async () => {
    const call = await stage.call();
    await stage.recording(call, AUDIO, { status: 'failed', storage: null, storage_key: null });
    expect(codeOf(await get(`/v1/calls/${call.id}/recording`))).to.deep.equal([404, 'RECORDING_NOT_FOUND']);
  });

  it('have links that expire', async () => {
    const path = await target((await recorded()).call);
    stage.clock.aheadMs = LINK_MS - 2000;
    expect((await ask(api.url, 'GET', path)).status).to.equal(200);
    stage.clock.aheadMs = LINK_MS + 1000;
    const answer = await ask(api.url, 'GET', path);
    expect(codeOf(answer)).to.deep.equal([410, 'RECORDING_URL_EXPIRED']);
  });

  it('have links that cannot be forged', async () => {
    const { call, row } = await recorded();
    const path = await target(call);
    const other = (await recorded()).row;
    const forged = [
      path.replace(/expires=(\d+)/, (_, expires) => `expires=${Number(expires) + 60}`),
      path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      path.replace(/signature=.*/, 'signature='),
      path.replace(row.id, other.id),
      path.replace(row.id, newId()),
      path.replace(/expires=\d+/, 'expires=never'),
    ];
    for (const attempt of forged) {
      const answer = await ask(api.url, 'GET', attempt);
      expect([attempt, ...codeOf(answer)]).to.deep.equal([attempt, 404, 'RECORDING_URL_INVALID']);
    }
    const unknown = await ask(api.url, 'GET', path.replace(row.id, 'none'));
    expect(codeOf(unknown)).to.deep.equal([404, 'RECORDING_NOT_FOUND']);
    const bare = await ask(api.url, 'GET', `/v1/recordings/${row.id}/audio`);
    expect(bare.body?.error_code).to.equal('VALIDATION_ERROR');
    expect(api.log.some((line) => line.includes('signature='))).to.equal(false);
  });

  it('are unavailable while their storage is, and other storages still work', async () => {
    const local = (await recorded()).call;
    const { call, row } = await recorded({ storage: 's3' });
    const path = await target(call);
    stage.cable.cut();
    expect((await fetch(api.url + (await target(local)))).status).to.equal(200);
    const unavailable = [503, 'RECORDING_SERVICE_UNAVAILABLE'];
    expect(codeOf(await get(`/v1/calls/${call.id}/recording`))).to.deep.equal(unavailable);
    expect(codeOf(await ask(api.url, 'GET', path))).to.deep.equal(unavailable);
    expect((await stage.row(row)).status).to.equal('available');
    stage.cable.restore();
    expect((await fetch(api.url + path)).status).to.equal(200);
  });

  it('close the connection when the storage fails during a read', async () => {
    const large = randomBytes(20_000_000);
    const call = await stage.call();
    await stage.recording(call, large, { storage: 's3' });
    const response = await opened(api.url + (await target(call)));
    const broken = new Promise((resolve) => response.once('close', resolve));
    response.on('error', () => undefined);
    response.once('data', () => stage.cable.cut());
    await broken;
    expect(response.complete).to.equal(false);
  });

  it('stop being read when the client disconnects', async () => {
    const call = await stage.call();
    const row = await stage.recording(call, randomBytes(20_000_000));
    const path = await target(call);
    const unsent = () => api.log.filter((line) => line.includes('could not be sent')).length;
    const before = unsent();
    const response = await opened(api.url + path);
    await once(response, 'readable');
    expect(isOpen(row)).to.equal(true);
    response.destroy();
    await eventually(() => !isOpen(row), 'the file to be closed');
    const isLogged = () => api.log.some((line) => line.includes(row.id) && line.includes('"status":499'));
    await eventually(isLogged, 'a log line about the disconnected client');
    expect(unsent()).to.equal(before);
  });

  describe('when deleted', () => {
    const remove = (call: CallRow, query = '') =>
      api.request('DELETE', `/v1/calls/${call.id}/recording${query}`, { key });

    for (const storage of ['local', 's3'] as const) {
      it(`are removed from the ${storage} storage, and their links stop working`, async () => {
        const { call, row } = await recorded({ storage });
        const path = await target(call);
        expect(stage.kept()[storage]).to.include(row.storage_key);
        const answer = await remove(call);
        expect([answer.status, answer.text]).to.deep.equal([204, '']);
        expect(stage.kept()[storage]).not.to.include(row.storage_key);
        expect(codeOf(await ask(api.url, 'GET', path))).to.deep.equal([404, 'RECORDING_NOT_FOUND']);
        expect(await stage.isAvailable(call)).to.equal(false);
        const now = await stage.row(row);
        expect([now.status, now.deleted_at !== null]).to.deep.equal(['deleted', true]);
        expect(codeOf(await remove(call))).to.deep.equal([404, 'RECORDING_NOT_FOUND']);
        expect(await stage.recordings.takeRemovals(10)).to.deep.equal([]);
      });
    }

    it('leave the call’s other recordings if the request names one', async () => {
      const call = await stage.call();
      const [first, second] = [await stage.recording(call, AUDIO), await stage.recording(call, AUDIO)];
      expect((await remove(call, `?recording_id=${first.id}`)).status).to.equal(204);
      expect((await stage.row(second)).status).to.equal('available');
      expect(await stage.isAvailable(call)).to.equal(true);
      expect((await remove(call)).status).to.equal(204);
      expect(await stage.isAvailable(call)).to.equal(false);
    });

    it('are immediately inaccessible even if the storage is unavailable', async () => {
      const { call, row } = await recorded({ storage: 's3' });
      const path = await target(call);
      stage.cable.cut();
      expect((await remove(call)).status).to.equal(204);
      expect(codeOf(await ask(api.url, 'GET', path))).to.deep.equal([404, 'RECORDING_NOT_FOUND']);
      stage.cable.restore();
      expect(stage.kept().s3).to.include(row.storage_key);
      const removals = 'SELECT recording_id, storage_key FROM recording_removals WHERE recording_id = $1';
      expect(await stage.database.db.query(removals, [row.id])).to.deep.equal([
        { recording_id: row.id, storage_key: row.storage_key },
      ]);
    });

    it('are kept under a legal hold, with all recordings of their call', async () => {
      const call = await stage.call();
      const rows = [await stage.recording(call, AUDIO, { legal_hold: true }), await stage.recording(call, AUDIO)];
      const answer = await remove(call);
      expect(codeOf(answer)).to.deep.equal([403, 'INSUFFICIENT_PERMISSIONS']);
      expect(answer.body?.message).to.contain('legal hold');
      expect(answer.body?.message_ar).to.contain('أمر قانوني');
      for (const row of rows) expect((await stage.row(row)).status).to.equal('available');
      expect((await remove(call, `?recording_id=${rows[1]?.id ?? ''}`)).status).to.equal(204);
    });

    it('are kept if the call is in progress or the audio is not stored yet', async () => {
      const live = await stage.call({ status: 'answered', ended_at: null });
      await stage.recording(live, AUDIO);
      const answer = await remove(live);
      expect(codeOf(answer)).to.deep.equal([409, 'CALL_NOT_CONTROLLABLE']);
      expect(JSON.stringify(answer.body?.details)).to.contain('still in progress');
      const ended = await stage.call();
      await stage.recording(ended, AUDIO, { status: 'stopped', storage: null, storage_key: null });
      expect(codeOf(await remove(ended))).to.deep.equal([409, 'CALL_NOT_CONTROLLABLE']);
    });

    it('are recorded in the audit log', async () => {
      const { call } = await recorded();
      await remove(call);
      await api.audit.flush();
      const [entry] = await listAuditRows(stage.database.db, stage.ground.projectId, 1);
      expect(entry).to.include({ method: 'DELETE', path: `/v1/calls/${call.id}/recording`, status: 204 });
    });

    it('are deleted once by concurrent requests', async () => {
      const { call } = await recorded();
      const answers = await Promise.all(Array.from({ length: 8 }, () => remove(call)));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([204, ...Array<number>(7).fill(404)]);
    });
  });
});

/** Whether this process has the recording's file open. */
function isOpen({ id }: RecordingRow): boolean {
  return readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes(id);
    } catch {
      return false;
    }
  });
}

/** Returns a response before its body is read. */
async function opened(url: string): Promise<IncomingMessage> {
  const outgoing = request(url, { agent: false });
  outgoing.on('error', () => undefined);
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
}
