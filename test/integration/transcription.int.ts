import { expect } from 'chai';
import { BullJobs } from '../../adapters/jobs/bullmq.js';
import { OpenAiTranscriber } from '../../adapters/transcription/index.js';
import type { Route } from '../../api/http/route.js';
import { openApiDocument } from '../../api/http/openapi.js';
import { transcriptRoutes } from '../../api/routes/transcripts.js';
import { Calls } from '../../core/data/repositories/calls.js';
import { listEvents } from '../../core/data/repositories/events.js';
import { Transcripts } from '../../core/data/repositories/transcripts.js';
import type {
  CallRow,
  EventRow,
  LegRecordingRow,
  RecordingRow,
  TranscriptRow,
  VoicemailRow,
} from '../../core/data/rows.js';
import { newId } from '../../core/model/ids.js';
import { systemClock } from '../../core/ports/clock.js';
import { ReadTranscripts } from '../../core/services/transcription/read.js';
import { TranscriptionSweep } from '../../core/services/transcription/sweep.js';
import { TranscribeRecording } from '../../core/services/transcription/transcribe.js';
import { runTranscription } from '../../jobs/transcription.js';
import { testApi, type Answer, type TestApi } from '../support/api.js';
import { readWav, slice, toneShare, toneWav } from '../support/audio.js';
import { eventually } from '../support/eventually.js';
import { quiet } from '../support/logger.js';
import { OpenAiPeer, type AskedText } from '../support/openai-peer.js';
import { RecordingsStage } from '../support/recordings-stage.js';
import { testRedis, type TestRedis } from '../support/redis.js';
import { documentProblems, routeProblems } from '../support/route-contract.js';
import { insertRows, numberRow } from '../support/rows.js';

/** A recording of two channels: the customer is heard at 440 Hz in the first second, the agent at 700 Hz in the third. */
const DIALOGUE = dialogue();

function dialogue(): Buffer {
  const frames = 8000 * 4;
  const wav = toneWav({ hz: 440, seconds: 4, channels: 2 });
  for (let i = 0; i < frames; i++) {
    const said = i < 8000 ? Math.sin((2 * Math.PI * 440 * i) / 8000) : 0;
    const heard = i >= 16_000 && i < 24_000 ? Math.sin((2 * Math.PI * 700 * i) / 8000) : 0;
    wav.writeInt16LE(Math.round(8000 * said), 44 + 4 * i);
    wav.writeInt16LE(Math.round(8000 * heard), 46 + 4 * i);
  }
  return wav;
}

/** Somebody who understands tones. */
function understood({ file }: AskedText): object {
  const audio = readWav(file);
  const isCustomer = toneShare(slice(audio, 0.2, 0.8), 440) > 0.9;
  const [start, text] = isCustomer ? [0, 'I need help.'] : [2, 'كيف أساعدك؟'];
  return {
    text,
    language: isCustomer ? 'english' : 'arabic',
    segments: [{ start, end: start + 1, text, avg_logprob: Math.log(0.9), no_speech_prob: 0.01 }],
  };
}

describe('Transcription', function () {
  this.timeout(60_000);

  let stage: RecordingsStage;
  let peer: OpenAiPeer;
  let transcriber: OpenAiTranscriber;
  let transcripts: Transcripts;
  let transcribe: TranscribeRecording;
  let api: TestApi;
  let routes: readonly Route[];
  let key: string;
  const woken: string[] = [];

  before(async () => {
    stage = await RecordingsStage.open();
    const { db } = stage.database;
    transcripts = new Transcripts(db);
    const read = new ReadTranscripts({ calls: new Calls(db), recordings: stage.recordings, transcripts });
    routes = transcriptRoutes({ read });
    api = await testApi({ db, routes });
    ({ key } = await api.key({ projectId: stage.ground.projectId }));
  });
  beforeEach(async () => {
    peer = await OpenAiPeer.start('key-1');
    peer.hears = understood;
    transcriber = new OpenAiTranscriber({
      baseUrl: peer.baseUrl,
      apiKey: 'key-1',
      model: 'whisper-1',
      timeoutMs: 3000,
    });
    transcribe = worker();
    woken.length = 0;
  });
  afterEach(async () => {
    await transcriber.close();
    await peer.close();
    stage.cable.restore();
    await stage.database.db.query(
      'DELETE FROM voicemails; DELETE FROM transcripts; DELETE FROM voicemail_boxes; DELETE FROM numbers',
    );
    expect(api.faults).to.deep.equal([]);
  });
  after(async () => {
    await api.close();
    await stage.close();
  });

  function worker(): TranscribeRecording {
    const wake = (lanes: readonly string[]): void => void woken.push(...lanes);
    return new TranscribeRecording({
      transcripts,
      stores: stage.stores,
      transcriber,
      clock: systemClock,
      log: quiet,
      wake,
    });
  }

  async function recorded(
    changes: Partial<LegRecordingRow> = {},
    ofCall: Partial<CallRow> = {},
  ): Promise<{ call: CallRow; row: RecordingRow }> {
    const call = await stage.call({ last_sequence: 5, ...ofCall });
    return { call, row: await stage.recording(call, DIALOGUE, { transcribe: true, ...changes }) };
  }

  async function state(row: RecordingRow): Promise<TranscriptRow | undefined> {
    const sql = 'SELECT * FROM transcripts WHERE recording_id = $1';
    return (await stage.database.db.query<TranscriptRow>(sql, [row.id]))[0];
  }

  /** It is tried again now. */
  async function retryNow(row: RecordingRow): Promise<void> {
    await stage.database.db.query('UPDATE transcripts SET due_at = now() WHERE recording_id = $1', [row.id]);
    await transcribe.transcribe(row.id);
  }

  const eventsOf = (call: CallRow): Promise<EventRow[]> =>
    listEvents(
      stage.database.db,
      { projectId: call.project_id, sandboxOnly: false, patterns: null, callId: call.id },
      null,
      10,
    );
  const get = (call: CallRow, query = ''): Promise<Answer> =>
    api.request('GET', `/v1/calls/${call.id}/transcript${query}`, { key });

  it('keeps to its definition', async () => {
    expect(routes).to.have.length(1);
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    expect(documentProblems(openApiDocument({ routes, version: '1', serverUrl: api.url }), routes)).to.deep.equal([]);
  });

  it('makes turns of customer and agent of two channels, and tells of them', async () => {
    const { call, row } = await recorded();
    expect(await transcripts.due(10)).to.deep.equal([row.id]);
    await transcribe.transcribe(row.id);
    const answer = await get(call);
    expect(answer.status, answer.text).to.equal(200);
    const { created_at, finished_at, ...shown } = answer.body!;
    expect([created_at, finished_at].every((at) => typeof at === 'string')).to.equal(true);
    expect(shown).to.deep.equal({
      recording_id: row.id,
      call_id: call.id,
      status: 'completed',
      language: 'en',
      confidence: 0.9,
      engine: 'openai:whisper-1',
      text: 'I need help.\nكيف أساعدك؟',
      turns: [
        { speaker: 'customer', start_seconds: 0, end_seconds: 1, text: 'I need help.', confidence: 0.9 },
        { speaker: 'agent', start_seconds: 2, end_seconds: 3, text: 'كيف أساعدك؟', confidence: 0.9 },
      ],
    });
    const [event, ...none] = await eventsOf(call);
    expect(none).to.deep.equal([]);
    expect(event).to.include({ type: 'call.transcribed', sequence: 6, call_id: call.id });
    const { data } = event as { data: { transcript: object; sequence: number; call_id: string } };
    expect(data).to.include({ call_id: call.id, sequence: 6, status: 'ended' });
    expect(data.transcript).to.include({ recording_id: row.id, status: 'completed', language: 'en' });
    // The words are gone with their recording: no event keeps them.
    expect(JSON.stringify(event)).not.to.contain('help');
    expect(await transcripts.due(10)).to.deep.equal([]);
  });

  it('does not take a silent channel for speech', async () => {
    const call = await stage.call();
    const silent = await stage.recording(call, toneWav({ hz: 440, seconds: 2, level: 0.001, channels: 2 }), {
      transcribe: true,
    });
    await transcribe.transcribe(silent.id);
    expect(peer.requests).to.equal(0);
    expect((await get(call)).body).to.deep.include({ status: 'completed', text: '', turns: [], language: null });
  });

  it('writes down a message, and tells of it with its text', async () => {
    const { call, row } = await recorded({ transcribe: null, channels: 1, box_id: null });
    const numberId = newId();
    await insertRows(stage.database.db, 'numbers', [{ ...numberRow(stage.ground, '+966115550000'), id: numberId }]);
    await stage.database.db.query(
      `INSERT INTO voicemail_boxes (number_id, organization_id, project_id, enabled, max_seconds, transcribe, changed_at)
       VALUES ($1, $2, $3, true, 60, true, now())`,
      [numberId, call.organization_id, call.project_id],
    );
    const message: VoicemailRow = {
      id: row.id,
      organization_id: call.organization_id,
      project_id: call.project_id,
      box_id: numberId,
      call_id: call.id,
      sandbox: false,
      number: '+966115550000',
      from_number: '+966501234567',
      duration_ms: 4000,
      transcription_status: 'pending',
      transcription_text: null,
      listened_at: null,
      mail_to: null,
      mail_due_at: null,
      mail_attempts: 0,
      created_at: new Date(),
    };
    await insertRows(stage.database.db, 'voicemails', [message]);
    expect(await transcripts.due(10)).to.deep.equal([row.id]);
    peer.hears = () => ({ text: 'Call me back.', language: 'english' });
    await transcribe.transcribe(row.id);
    const [event] = await eventsOf(call);
    expect(event).to.include({ type: 'voicemail.transcribed', sequence: 6 });
    expect(event?.data).to.include({
      id: row.id,
      transcription_status: 'completed',
      transcription_text: 'Call me back.',
      from: '+966501234567',
    });
    const [kept] = await stage.database.db.query<VoicemailRow>('SELECT * FROM voicemails WHERE id = $1', [row.id]);
    expect(kept).to.include({ transcription_status: 'completed', transcription_text: 'Call me back.' });
  });

  it('is tried again while the server is away, and fails in the end', async () => {
    const { call, row } = await recorded();
    peer.answer = { status: 503, body: Buffer.from('down') };
    for (let attempt = 1; attempt <= 5; attempt++) {
      await retryNow(row);
      const { status, attempts, due_at, problem } = (await state(row))!;
      expect([status, attempts]).to.deep.equal(['pending', attempt]);
      expect(due_at!.getTime()).to.be.above(Date.now() + 20_000);
      expect(problem).to.contain('503');
    }
    expect(await eventsOf(call)).to.deep.equal([]);
    expect((await get(call)).body).to.include({ status: 'pending', text: null });
    await retryNow(row);
    expect((await get(call)).body).to.include({ status: 'failed', text: null });
    const [event] = await eventsOf(call);
    expect((event?.data as { transcript: object }).transcript).to.include({ status: 'failed' });
  });

  it('works once the server is back', async () => {
    const { call, row } = await recorded();
    peer.answer = 'break';
    await transcribe.transcribe(row.id);
    expect(await transcripts.due(10)).to.deep.equal([]);
    peer.answer = null;
    await retryNow(row);
    expect((await get(call)).body).to.include({ status: 'completed' });
  });

  it('fails at once where trying again is no use', async () => {
    peer.answer = { status: 400, body: Buffer.from('no') };
    const refused = await recorded();
    await transcribe.transcribe(refused.row.id);
    expect((await state(refused.row))?.status).to.equal('failed');
    const gone = await recorded();
    await stage.stores.of('local').remove(gone.row.storage_key!);
    await transcribe.transcribe(gone.row.id);
    expect((await state(gone.row))?.status).to.equal('failed');
    const call = await stage.call();
    const broken = await stage.recording(call, Buffer.from('no wav at all'), { transcribe: true });
    await transcribe.transcribe(broken.id);
    expect((await state(broken))?.status).to.equal('failed');
  });

  it('is put off while the storage is away', async () => {
    const { row } = await recorded({ storage: 's3' });
    stage.cable.cut();
    await transcribe.transcribe(row.id);
    expect(await state(row)).to.include({ status: 'pending', attempts: 1 });
    stage.cable.restore();
    await retryNow(row);
    expect((await state(row))?.status).to.equal('completed');
  });

  it('waits until the call is over and all of it is kept', async () => {
    const { call, row } = await recorded({}, { status: 'answered', ended_at: null });
    expect(await transcripts.due(10)).to.deep.equal([]);
    await transcribe.transcribe(row.id);
    expect(peer.requests).to.equal(0);
    await stage.database.db.query(`UPDATE calls SET status = 'ended' WHERE id = $1`, [call.id]);
    const other = await stage.recording(call, DIALOGUE, { status: 'stopped', storage: null, storage_key: null });
    expect(await transcripts.due(10)).to.deep.equal([]);
    await stage.database.db.query(`UPDATE recordings SET status = 'failed' WHERE id = $1`, [other.id]);
    expect(await transcripts.due(10)).to.deep.equal([row.id]);
  });

  it('is made once, however many try', async () => {
    const { call, row } = await recorded();
    await Promise.all([1, 2, 3, 4].map(() => worker().transcribe(row.id)));
    expect(peer.asked).to.have.length(2);
    expect(await eventsOf(call)).to.have.length(1);
  });

  it('of somebody who was too slow counts no more', async () => {
    const { call, row } = await recorded();
    peer.hears = (asked) => understood(asked);
    const first = await transcripts.claim(row.id, 60);
    await retryNow(row);
    expect(
      await transcripts.finish(first!, { status: 'failed', problem: 'late' }, new Date(), () => neverCalled()),
    ).to.equal(null);
    expect((await get(call)).body).to.include({ status: 'completed' });
  });

  it('is gone with its recording, also one that is under way', async () => {
    const { call, row } = await recorded();
    await transcribe.transcribe(row.id);
    await stage.recordings.delete([row.id]);
    expect(await state(row)).to.equal(undefined);
    expect((await get(call)).body).to.include({ error_code: 'RECORDING_NOT_FOUND' });
    const next = await recorded();
    let deleted = false;
    peer.hears = (asked) => {
      deleted = true;
      return understood(asked);
    };
    const claimed = await transcripts.claim(next.row.id, 60);
    await stage.recordings.delete([next.row.id]);
    expect(await transcripts.defer(claimed!, 60, null)).to.equal(false);
    await transcribe.transcribe(next.row.id);
    expect(deleted).to.equal(false);
  });

  it('shows the newest, or the one that is named, of its own project only', async () => {
    const { call, row } = await recorded();
    const plain = await stage.recording(call, DIALOGUE, {});
    expect((await get(call)).body).to.include({ recording_id: row.id, status: 'pending' });
    expect((await get(call, `?recording_id=${plain.id}`)).body).to.include({
      recording_id: plain.id,
      status: 'disabled',
    });
    expect((await get(call, `?recording_id=${newId()}`)).body).to.include({ error_code: 'RECORDING_NOT_FOUND' });
    const none = await stage.call();
    const codes = [await get(none), await get({ ...call, id: newId() })].map(({ status, body }) => [
      status,
      body?.error_code,
    ]);
    expect(codes).to.deep.equal([
      [404, 'RECORDING_NOT_FOUND'],
      [404, 'CALL_NOT_FOUND'],
    ]);
    const path = `/v1/calls/${call.id}/transcript`;
    const stranger = await api.key();
    expect((await api.request('GET', path, { key: stranger.key })).body).to.include({ error_code: 'CALL_NOT_FOUND' });
    const sandbox = await api.key({ projectId: stage.ground.projectId, kind: 'sandbox' });
    const refused = await api.request('GET', path, { key: sandbox.key });
    expect(refused.body).to.include({ error_code: 'SANDBOX_KEY_NOT_ALLOWED' });
  });

  describe('as a job', () => {
    let redis: TestRedis;
    let jobs: BullJobs;
    let stop: () => Promise<void>;
    before(async () => {
      redis = await testRedis();
    });
    after(() => redis.close());
    afterEach(async () => {
      await stop();
      await jobs.close();
    });

    function run(url: string, worker: TranscribeRecording | null): void {
      jobs = new BullJobs({ redisUrl: url, log: quiet, prefix: `test-${newId()}` });
      const options = { transcripts, transcribe: worker, jobs, clock: systemClock, log: quiet, everyMs: 50 };
      stop = runTranscription(jobs, worker, new TranscriptionSweep(options));
    }

    it('finds by itself what is to be written down', async () => {
      const rows = [(await recorded()).row, (await recorded()).row, (await recorded()).row];
      run(redis.url, transcribe);
      await eventually(
        async () => (await Promise.all(rows.map(state))).every((row) => row?.status === 'completed'),
        'all are written down',
      );
    });

    it('goes on while Redis is away', async () => {
      const { row } = await recorded();
      run('redis://127.0.0.1:1', transcribe);
      await eventually(async () => (await state(row))?.status === 'completed', 'it is written down');
    });

    it('marks what nothing can write down', async () => {
      const { call, row } = await recorded();
      run(redis.url, null);
      await eventually(async () => (await state(row))?.status === 'disabled', 'it is marked');
      expect((await get(call)).body).to.include({ status: 'disabled', text: null });
      expect(await eventsOf(call)).to.deep.equal([]);
    });
  });
});

function neverCalled(): never {
  throw new Error('an event of a try that is over');
}
