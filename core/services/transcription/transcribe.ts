import type {
  ClaimedTranscript,
  FinishedTranscript,
  TranscriptOutcome,
  Transcripts,
} from '../../data/repositories/calls/transcripts.js';
import type { EventRow } from '../../data/rows.js';
import { newId } from '../../model/ids.js';
import { speakersOf } from '../../model/transcript.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { StorageError, type ObjectStores } from '../../ports/object-store.js';
import { TranscriptionError, type Transcriber } from '../../ports/transcription.js';
import { presentCall } from '../call-state/presenting/call.js';
import { presentVoicemail } from '../call-state/presenting/voicemail.js';
import { transcribePieces, type TranscriptContent } from './transcribe-pieces.js';
import { piecesOf, UnreadableAudioError } from './pieces.js';
import { transcriptFacts } from './present.js';

export interface TranscribeOptions {
  readonly transcripts: Transcripts;
  readonly stores: ObjectStores;
  readonly transcriber: Transcriber;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
}

/**
 * Longer than any engine takes for a piece, and short enough that a recording claimed by a killed process is soon
 * retried.
 */
const CLAIM_SECONDS = 300;
const RETRY_SECONDS = [30, 120, 600, 3600, 6 * 3600] as const;

/** Another process has claimed the transcript, or it was deleted with its recording. */
class ClaimLostError extends Error {}

/** Transcribes a recording and records the event. Idempotent: a recording is claimed first. */
export class TranscribeRecording {
  constructor(private readonly options: TranscribeOptions) {}

  /** Resolves when the transcript is finished, failed or deferred. @throws DatabaseUnavailable */
  async transcribe(recordingId: string): Promise<void> {
    const { transcripts, log } = this.options;
    const claimed = await transcripts.claim(recordingId, CLAIM_SECONDS);
    if (!claimed) return;
    try {
      const { engine } = this.options.transcriber;
      await this.#finish(claimed, { status: 'completed', engine, ...(await this.#transcribe(claimed)) });
    } catch (error) {
      if (error instanceof ClaimLostError) return;
      const problem = problemOf(error);
      if (problem === null) throw error;
      const seconds = problem.isFinal ? undefined : RETRY_SECONDS[claimed.attempts - 1];
      log.warn({ err: error, recordingId, attempt: claimed.attempts }, 'failed to transcribe a recording');
      if (seconds === undefined) await this.#finish(claimed, { status: 'failed', problem: problem.message });
      else await transcripts.defer(claimed, seconds, problem.message);
    }
  }

  async #transcribe(claimed: ClaimedTranscript): Promise<TranscriptContent> {
    const { storage, storage_key: key, leg, channels } = claimed;
    if (storage === null || key === null) throw new UnreadableAudioError('the recording has no audio');
    const { transcripts, transcriber, stores } = this.options;
    const wav = await stores.of(storage).read(key);
    return transcribePieces(piecesOf(wav), leg === null ? [null] : speakersOf(leg, channels), transcriber, async () => {
      if (!(await transcripts.defer(claimed, CLAIM_SECONDS, null))) throw new ClaimLostError();
    });
  }

  async #finish(claimed: ClaimedTranscript, outcome: TranscriptOutcome): Promise<void> {
    const { transcripts, clock, wake } = this.options;
    const at = clock.now();
    const lanes = await transcripts.finish(claimed, outcome, at, (finished, sequence) =>
      eventOf(finished, sequence, at),
    );
    wake(lanes ?? []);
  }
}

/** The problem to store with the transcript; null for an unexpected error, which is rethrown. */
function problemOf(error: unknown): { readonly message: string; readonly isFinal: boolean } | null {
  if (error instanceof TranscriptionError) return error;
  if (error instanceof StorageError) return { message: error.message, isFinal: error.problem === 'not_found' };
  return error instanceof UnreadableAudioError ? { message: error.message, isFinal: true } : null;
}

function eventOf({ transcript, call, legs, voicemail }: FinishedTranscript, sequence: number, at: Date): EventRow {
  const facts = transcriptFacts(transcript);
  return {
    id: newId(),
    organization_id: call.organization_id,
    project_id: call.project_id,
    call_id: call.id,
    sequence,
    ...(voicemail === null
      ? { type: 'call.transcribed', data: { ...presentCall(call, legs), transcript: facts, sequence } }
      : {
          type: 'voicemail.transcribed',
          data: { ...presentVoicemail(voicemail, true), transcript: facts, sequence },
        }),
    sandbox: call.sandbox,
    recovered: false,
    created_at: at,
  };
}
