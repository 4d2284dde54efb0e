import type { TranscriptStatus, Turn } from '../../model/transcript.js';

/** What is said in a recording, or is to be written down yet. Gone with its recording. */
export interface TranscriptRow {
  readonly recording_id: string;
  readonly call_id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly status: TranscriptStatus;
  readonly attempts: number;
  /** When it is tried next, or may be taken from whoever tries it; null once it is over. */
  readonly due_at: Date | null;
  readonly language: string | null;
  readonly confidence: number | null;
  readonly engine: string | null;
  readonly turns: readonly Turn[] | null;
  /** Why the last try failed. */
  readonly problem: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}
