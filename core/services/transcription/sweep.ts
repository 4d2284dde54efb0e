import type { Transcripts } from '../../data/repositories/calls/transcripts.js';
import type { Clock } from '../../ports/clock.js';
import type { JobQueue } from '../../ports/jobs.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';
import type { TranscribeRecording } from './transcribe.js';

export interface TranscriptionSweepOptions {
  readonly transcripts: Pick<Transcripts, 'due' | 'disable'>;
  /** Null: nothing here writes down what is said. */
  readonly transcribe: Pick<TranscribeRecording, 'transcribe'> | null;
  readonly jobs: Pick<JobQueue, 'add'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Two seconds by default. */
  readonly everyMs?: number;
}

const EVERY_MS = 2_000;
const BATCH = 50;

/**
 * Finds in PostgreSQL what is to be written down and hands it to the workers of all processes; while Redis is away it is done here, one
 * after another. Where nothing can write it down, it is marked so.
 */
export class TranscriptionSweep {
  readonly #regular: PeriodicWork;

  constructor(private readonly options: TranscriptionSweepOptions) {
    const { clock, log, everyMs = EVERY_MS } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'the sweep for transcripts failed; it is made again');
    this.#regular = new PeriodicWork({ work: () => this.sweep(), everyMs, restFactor: 10, clock, onFailure });
  }

  start(): void {
    this.#regular.start();
  }

  /** What is under way ends with its recording. */
  stop(): Promise<void> {
    return this.#regular.stop();
  }

  /** One look. @throws DatabaseUnavailable */
  async sweep(): Promise<void> {
    const { transcripts, transcribe, jobs, clock } = this.options;
    if (transcribe === null) {
      await transcripts.disable(clock.now());
      return;
    }
    const due = await transcripts.due(BATCH);
    const wanted = due.map((recording) => ({ recording }));
    if (due.length === 0 || (await jobs.add('transcription', wanted))) return;
    for (const recording of due) {
      if (this.#regular.isStopped) return;
      await transcribe.transcribe(recording);
    }
  }
}
