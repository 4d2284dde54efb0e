import type { Transcripts } from '../../data/repositories/calls/transcripts.js';
import type { Clock } from '../../ports/clock.js';
import type { JobQueue } from '../../ports/jobs.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import type { TranscribeRecording } from './transcribe.js';

export interface TranscriptionSweepOptions {
  readonly transcripts: Pick<Transcripts, 'due' | 'disable'>;
  /** Null if this installation has no transcription engine. */
  readonly transcribe: Pick<TranscribeRecording, 'transcribe'> | null;
  readonly jobs: Pick<JobQueue, 'add'>;
  readonly clock: Clock;
}

const INTERVAL_MS = 2_000;
const BATCH_SIZE = 50;

/**
 * Finds recordings to transcribe in PostgreSQL and queues them for the workers of all processes. While Redis is
 * unavailable, this process transcribes them one after another. If no engine is configured, it marks them as disabled.
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
    const due = await transcripts.due(BATCH_SIZE);
    const jobData = due.map((recording) => ({ recording }));
    if (due.length === 0 || (await jobs.add('transcription', jobData))) return;
    for (const recording of due) {
      if (isStopping()) return;
      await transcribe.transcribe(recording);
    }
  }
}
