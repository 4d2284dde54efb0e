import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import type { VoicemailRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { toneWav } from '../../support/judges/audio.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { insertRows, numberRow } from '../../support/rows/rows.js';
import {
  DIALOGUE,
  transcriptionEach,
  understood,
  type TranscriptionStage,
} from '../../support/stages/transcription-stage.js';

describe('Transcription', function () {
  this.timeout(60_000);
  let stage: TranscriptionStage;
  transcriptionEach((made) => (stage = made));

  it('conforms to the OpenAPI contract', async () => {
    const { api, routes } = stage;
    expect(routes).to.have.length(1);
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    expect(documentProblems(openApiDocument({ routes, version: '1', serverUrl: api.url }), routes)).to.deep.equal([]);
  });

  it('makes turns of customer and agent from two channels, and sends the event', async () => {
    const { call, row } = await stage.recorded();
    expect(await stage.transcripts.due(10)).to.deep.equal([row.id]);
    await stage.transcribe.transcribe(row.id);
    const answer = await stage.get(call);
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
    const [event, ...none] = await stage.eventsOf(call);
    expect(none).to.deep.equal([]);
    expect(event).to.include({ type: 'call.transcribed', sequence: 6, call_id: call.id });
    const { data } = event as { data: { transcript: object; sequence: number; call_id: string } };
    expect(data).to.include({ call_id: call.id, sequence: 6, status: 'ended' });
    expect(data.transcript).to.include({ recording_id: row.id, status: 'completed', language: 'en' });
    // The text is deleted with its recording: no event contains it.
    expect(JSON.stringify(event)).not.to.contain('help');
    expect(await stage.transcripts.due(10)).to.deep.equal([]);
  });

  it('does not transcribe a silent channel', async () => {
    const call = await stage.recordings.call();
    const silent = await stage.recordings.recording(call, toneWav({ hz: 440, seconds: 2, level: 0.001, channels: 2 }), {
      transcribe: true,
    });
    await stage.transcribe.transcribe(silent.id);
    expect(stage.peer.requests).to.equal(0);
    expect((await stage.get(call)).body).to.deep.include({ status: 'completed', text: '', turns: [], language: null });
  });

  it('transcribes a message, and sends its event with the text', async () => {
    const { call, row } = await stage.recorded({ transcribe: null, channels: 1, box_id: null });
    const numberId = newId();
    await insertRows(stage.recordings.database.db, 'numbers', [
      { ...numberRow(stage.recordings.ground, '+966115550000'), id: numberId },
    ]);
    await stage.recordings.database.db.query(
      `INSERT INTO voicemail_boxes
         (number_id, organization_id, project_id, enabled, max_seconds, transcribe, changed_at)
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
    await insertRows(stage.recordings.database.db, 'voicemails', [message]);
    expect(await stage.transcripts.due(10)).to.deep.equal([row.id]);
    stage.peer.hears = () => ({ text: 'Call me back.', language: 'english' });
    await stage.transcribe.transcribe(row.id);
    const [event] = await stage.eventsOf(call);
    expect(event).to.include({ type: 'voicemail.transcribed', sequence: 6 });
    expect(event?.data).to.include({
      id: row.id,
      transcription_status: 'completed',
      transcription_text: 'Call me back.',
      from: '+966501234567',
    });
    const [saved] = await stage.recordings.database.db.query<VoicemailRow>('SELECT * FROM voicemails WHERE id = $1', [
      row.id,
    ]);
    expect(saved).to.include({ transcription_status: 'completed', transcription_text: 'Call me back.' });
  });

  it('waits until the call has ended and all of its audio is stored', async () => {
    const { call, row } = await stage.recorded({}, { status: 'answered', ended_at: null });
    expect(await stage.transcripts.due(10)).to.deep.equal([]);
    await stage.transcribe.transcribe(row.id);
    expect(stage.peer.requests).to.equal(0);
    await stage.recordings.database.db.query(`UPDATE calls SET status = 'ended' WHERE id = $1`, [call.id]);
    const other = await stage.recordings.recording(call, DIALOGUE, {
      status: 'stopped',
      storage: null,
      storage_key: null,
    });
    expect(await stage.transcripts.due(10)).to.deep.equal([]);
    await stage.recordings.database.db.query(`UPDATE recordings SET status = 'failed' WHERE id = $1`, [other.id]);
    expect(await stage.transcripts.due(10)).to.deep.equal([row.id]);
  });

  it('is deleted with its recording, even while it is in progress', async () => {
    const { call, row } = await stage.recorded();
    await stage.transcribe.transcribe(row.id);
    await stage.recordings.recordings.delete([row.id]);
    expect(await stage.state(row)).to.equal(undefined);
    expect((await stage.get(call)).body).to.include({ error_code: 'RECORDING_NOT_FOUND' });
    const next = await stage.recorded();
    let deleted = false;
    stage.peer.hears = (request) => {
      deleted = true;
      return understood(request);
    };
    const claimed = await stage.transcripts.claim(next.row.id, 60);
    await stage.recordings.recordings.delete([next.row.id]);
    expect(await stage.transcripts.defer(claimed!, 60, null)).to.equal(false);
    await stage.transcribe.transcribe(next.row.id);
    expect(deleted).to.equal(false);
  });

  it('returns the newest or the requested one, of its own project only', async () => {
    const { call, row } = await stage.recorded();
    const plain = await stage.recordings.recording(call, DIALOGUE, {});
    expect((await stage.get(call)).body).to.include({ recording_id: row.id, status: 'pending' });
    expect((await stage.get(call, `?recording_id=${plain.id}`)).body).to.include({
      recording_id: plain.id,
      status: 'disabled',
    });
    expect((await stage.get(call, `?recording_id=${newId()}`)).body).to.include({ error_code: 'RECORDING_NOT_FOUND' });
    const none = await stage.recordings.call();
    const codes = [await stage.get(none), await stage.get({ ...call, id: newId() })].map(({ status, body }) => [
      status,
      body?.error_code,
    ]);
    expect(codes).to.deep.equal([
      [404, 'RECORDING_NOT_FOUND'],
      [404, 'CALL_NOT_FOUND'],
    ]);
    const path = `/v1/calls/${call.id}/transcript`;
    const stranger = await stage.api.key();
    expect((await stage.api.request('GET', path, { key: stranger.key })).body).to.include({
      error_code: 'CALL_NOT_FOUND',
    });
    const sandbox = await stage.api.key({ projectId: stage.recordings.ground.projectId, kind: 'sandbox' });
    const refused = await stage.api.request('GET', path, { key: sandbox.key });
    expect(refused.body).to.include({ error_code: 'SANDBOX_KEY_NOT_ALLOWED' });
  });
});
