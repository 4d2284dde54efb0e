import type { Transcripts } from '../../data/repositories/calls/transcripts.js';
import type { Clock } from '../../ports/clock.js';
import type { JobQueue } from '../../ports/jobs.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import type { TranscribeRecording } from './transcribe.js';

export interface TranscriptionSweepOptions {
  readonly transcripts: Pick<Transcripts, 'due' | 'disable'>;
  /** Null if transcription is not configured. */
  readonly transcribe: Pick<TranscribeRecording, 'transcribe'> | null;
  readonly jobs: Pick<JobQueue, 'add'>;
  readonly clock: Clock;
}

const INTERVAL_MS = 2_000;
const BATCH = 50;

/**
 * Finds pending transcriptions in PostgreSQL and queues them for the workers of all processes. If Redis is unavailable,
 * this process transcribes them one after another. If transcription is not configured, marks them as disabled.
 */
export class TranscriptionSweep implements PeriodicTask {
  readonly name = 'transcription sweep';
  readonly everyMs = INTERVAL_MS;
  readonly restFactor = 10;

  constructor(private readonly options: TranscriptionSweepOptions) {}

  /** Runs one sweep. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { transcripts, transcribe, jobs, clock } = this.options;
    if (transcribe === null) {
      await transcripts.disable(clock.now());
      return;
    }
    const due = await transcripts.due(BATCH);
    const wanted = due.map((recording) => ({ recording }));
    if (due.length === 0 || (await jobs.add('transcription', wanted))) return;
    for (const recording of due) {
      if (isStopping()) return;
      await transcribe.transcribe(recording);
    }
  }
}
