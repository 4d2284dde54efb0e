import type { Transcripts } from '../../data/repositories/calls/transcripts.js';
import type { Clock } from '../../ports/clock.js';
import type { JobQueue } from '../../ports/jobs.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';
import type { TranscribeRecording } from './transcribe.js';

export interface TranscriptionSweepOptions {
  readonly transcripts: Pick<Transcripts, 'due' | 'disable'>;
  /** Null if this installation has no transcription engine. */
  readonly transcribe: Pick<TranscribeRecording, 'transcribe'> | null;
  readonly jobs: Pick<JobQueue, 'add'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Default: two seconds. */
  readonly everyMs?: number;
}

const INTERVAL_MS = 2_000;
const BATCH_SIZE = 50;

/**
 * Finds recordings to transcribe in PostgreSQL and queues them for the workers of all processes. While Redis is
 * unavailable, this process transcribes them one after another. If no engine is configured, it marks them as disabled.
 */
export class TranscriptionSweep {
  readonly #regular: PeriodicWork;

  constructor(private readonly options: TranscriptionSweepOptions) {
    const { clock, log, everyMs = INTERVAL_MS } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'the transcription sweep failed; will retry');
    this.#regular = new PeriodicWork({ work: () => this.sweep(), everyMs, restFactor: 10, clock, onFailure });
  }

  start(): void {
    this.#regular.start();
  }

  /** Lets the current recording finish. */
  stop(): Promise<void> {
    return this.#regular.stop();
  }

  /** Runs one sweep. @throws DatabaseUnavailable */
  async sweep(): Promise<void> {
    const { transcripts, transcribe, jobs, clock } = this.options;
    if (transcribe === null) {
      await transcripts.disable(clock.now());
      return;
    }
    const due = await transcripts.due(BATCH_SIZE);
    const jobData = due.map((recording) => ({ recording }));
    if (due.length === 0 || (await jobs.add('transcription', jobData))) return;
    for (const recording of due) {
      if (this.#regular.isStopped) return;
      await transcribe.transcribe(recording);
    }
  }
}
