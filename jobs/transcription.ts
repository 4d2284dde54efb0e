import type { JobQueue } from '../core/ports/jobs.js';
import type { TranscriptionSweep } from '../core/services/transcription/sweep.js';
import type { TranscribeRecording } from '../core/services/transcription/transcribe.js';

/** What is asked of an engine at once; live calls need the rest of the machine. */
const CONCURRENCY = 2;

/**
 * Write down what is said in recordings, in this process or another. @param transcribe null where nothing can: what waits is marked so.
 * @returns how to stop: recordings under way are finished, or taken up again by another process.
 */
export function runTranscription(
  jobs: JobQueue,
  transcribe: TranscribeRecording | null,
  sweep: TranscriptionSweep,
): () => Promise<void> {
  const stopWorking =
    transcribe === null
      ? () => Promise.resolve()
      : jobs.work('transcription', ({ recording }) => transcribe.transcribe(recording), CONCURRENCY);
  sweep.start();
  return async () => {
    await Promise.all([stopWorking(), sweep.stop()]);
  };
}
