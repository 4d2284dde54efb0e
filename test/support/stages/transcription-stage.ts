import { expect } from 'chai';
import { OpenAiTranscriber } from '../../../adapters/transcription/index.js';
import type { Route } from '../../../api/http/route.js';
import { transcriptRoutes } from '../../../api/routes/recordings/transcripts.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import { listEvents } from '../../../core/data/repositories/calls/events.js';
import { Transcripts } from '../../../core/data/repositories/calls/transcripts.js';
import type { CallRow, EventRow, LegRecordingRow, RecordingRow, TranscriptRow } from '../../../core/data/rows.js';
import { systemClock } from '../../../core/ports/clock.js';
import { ReadTranscripts } from '../../../core/services/transcription/read.js';
import { TranscribeRecording } from '../../../core/services/transcription/transcribe.js';
import { testApi, type Answer, type TestApi } from '../api.js';
import { readWav, slice, toneShare, toneWav } from '../judges/audio.js';
import { quiet } from '../logger.js';
import { OpenAiPeer, type AskedText } from '../peers/openai-peer.js';
import { RecordingsStage } from './recordings-stage.js';

/** A recording of two channels: the customer at 440 Hz in the first second, the agent at 700 Hz in the third. */
export const DIALOGUE = dialogue();

function dialogue(): Buffer {
  const frames = 8000 * 4;
  const wav = toneWav({ hz: 440, seconds: 4, channels: 2 });
  for (let i = 0; i < frames; i++) {
    const customer = i < 8000 ? Math.sin((2 * Math.PI * 440 * i) / 8000) : 0;
    const agent = i >= 16_000 && i < 24_000 ? Math.sin((2 * Math.PI * 700 * i) / 8000) : 0;
    wav.writeInt16LE(Math.round(8000 * customer), 44 + 4 * i);
    wav.writeInt16LE(Math.round(8000 * agent), 46 + 4 * i);
  }
  return wav;
}

/** Transcribes the tones of {@link DIALOGUE}. */
export function understood({ file }: AskedText): object {
  const audio = readWav(file);
  const isCustomer = toneShare(slice(audio, 0.2, 0.8), 440) > 0.9;
  const [start, text] = isCustomer ? [0, 'I need help.'] : [2, 'كيف أساعدك؟'];
  return {
    text,
    language: isCustomer ? 'english' : 'arabic',
    segments: [{ start, end: start + 1, text, avg_logprob: Math.log(0.9), no_speech_prob: 0.01 }],
  };
}

/** The API of transcripts, and the transcription service with a server of OpenAI's API. */
export class TranscriptionStage {
  /** Transcribes recordings; tests may start other workers at the same time. */
  readonly transcribe: TranscribeRecording;

  private constructor(
    readonly recordings: RecordingsStage,
    readonly transcripts: Transcripts,
    readonly routes: readonly Route[],
    readonly api: TestApi,
    readonly key: string,
    readonly peer: OpenAiPeer,
    private readonly transcriber: OpenAiTranscriber,
  ) {
    this.transcribe = this.worker();
  }

  static async start(recordings: RecordingsStage): Promise<TranscriptionStage> {
    const { db } = recordings.database;
    const transcripts = new Transcripts(db);
    const read = new ReadTranscripts({ calls: new Calls(db), recordings: recordings.recordings, transcripts });
    const routes = transcriptRoutes({ read });
    const api = await testApi({ db, routes });
    const { key } = await api.key({ projectId: recordings.ground.projectId });
    const peer = await OpenAiPeer.start('key-1');
    peer.hears = understood;
    const { baseUrl } = peer;
    const transcriber = new OpenAiTranscriber({ baseUrl, apiKey: 'key-1', model: 'whisper-1', timeoutMs: 3000 });
    return new TranscriptionStage(recordings, transcripts, routes, api, key, peer, transcriber);
  }

  /** Removes all transcripts; all responses must match the route definitions. */
  async close(): Promise<void> {
    await this.transcriber.close();
    await this.peer.close();
    this.recordings.cable.restore();
    await this.recordings.database.db.query(
      'DELETE FROM voicemails; DELETE FROM transcripts; DELETE FROM voicemail_boxes; DELETE FROM numbers',
    );
    await this.api.close();
    expect(this.api.faults).to.deep.equal([]);
  }

  /** Another worker. */
  worker(): TranscribeRecording {
    return new TranscribeRecording({
      transcripts: this.transcripts,
      stores: this.recordings.stores,
      transcriber: this.transcriber,
      clock: systemClock,
      log: quiet,
      wake: () => undefined,
    });
  }

  /** Stores a recording of an ended call that is to be transcribed. */
  async recorded(
    changes: Partial<LegRecordingRow> = {},
    ofCall: Partial<CallRow> = {},
  ): Promise<{ call: CallRow; row: RecordingRow }> {
    const call = await this.recordings.call({ last_sequence: 5, ...ofCall });
    return { call, row: await this.recordings.recording(call, DIALOGUE, { transcribe: true, ...changes }) };
  }

  async state(row: RecordingRow): Promise<TranscriptRow | undefined> {
    const sql = 'SELECT * FROM transcripts WHERE recording_id = $1';
    return (await this.recordings.database.db.query<TranscriptRow>(sql, [row.id]))[0];
  }

  /** Makes the next attempt due and runs it. */
  async retryNow(row: RecordingRow): Promise<void> {
    // Clearly in the past: the clocks of two processors may differ a little.
    const sql = `UPDATE transcripts SET due_at = now() - interval '1 second' WHERE recording_id = $1`;
    await this.recordings.database.db.query(sql, [row.id]);
    await this.transcribe.transcribe(row.id);
  }

  eventsOf(call: CallRow): Promise<EventRow[]> {
    return listEvents(
      this.recordings.database.db,
      { projectId: call.project_id, sandboxOnly: false, patterns: null, callId: call.id },
      null,
      10,
    );
  }

  /** Requests the transcript of a call. */
  get(call: CallRow, query = ''): Promise<Answer> {
    return this.api.request('GET', `/v1/calls/${call.id}/transcript${query}`, { key: this.key });
  }
}

/** For a `describe`: a new stage for each test, on one database and one set of storages for all tests. */
export function transcriptionEach(use: (stage: TranscriptionStage) => void): void {
  let recordings: RecordingsStage;
  let stage: TranscriptionStage;

  before(async () => {
    recordings = await RecordingsStage.open();
  });
  after(() => recordings.close());
  beforeEach(async () => {
    stage = await TranscriptionStage.start(recordings);
    use(stage);
  });
  afterEach(() => stage.close());
}
