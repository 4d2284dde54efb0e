import type { TranscriptStatus, Turn } from '../../model/transcript.js';

/** A transcript, or a pending transcription. Deleted with its recording. */
export interface TranscriptRow {
  readonly recording_id: string;
  readonly call_id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly status: TranscriptStatus;
  readonly attempts: number;
  /** Time of the next attempt, or end of the current claim; null once finished. */
  readonly due_at: Date | null;
  readonly language: string | null;
  readonly confidence: number | null;
  readonly engine: string | null;
  readonly turns: readonly Turn[] | null;
  /** Why the last attempt failed. */
  readonly problem: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}
