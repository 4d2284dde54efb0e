import type { JobQueue } from '../core/ports/jobs.js';
import type { TranscribeRecording } from '../core/services/transcription/transcribe.js';

/** Transcriptions at the same time; live calls need the rest of the machine. */
const CONCURRENCY = 2;

/**
 * Transcribes the recordings that `TranscriptionSweep` puts into the job queue.
 * @returns stops; recordings under way are finished first
 */
export function startTranscriptionWorker(
  jobs: JobQueue,
  transcribe: Pick<TranscribeRecording, 'transcribe'>,
): () => Promise<void> {
  return jobs.work('transcription', ({ recording }) => transcribe.transcribe(recording), CONCURRENCY);
}
