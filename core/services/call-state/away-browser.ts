import type { LegRecordingRow } from '../../data/rows.js';

/** A browser whose page was left in the middle of a call. Its place in the call is kept for some time. */
export interface AwayBrowser {
  /** The leg of the page that was left, then those that rang a page which was left, too. */
  readonly legIds: readonly [string, ...string[]];
  readonly role: 'customer' | 'agent';
  readonly aor: string;
  /** ISO 8601: when the browser was first connected with the call. */
  readonly since: string;
  /** ISO 8601: until when the place is kept. */
  readonly until: string;
  readonly muted: boolean;
  /** The recording of the leg, which continues as another one; null if there was none. */
  readonly recording: KeptRecording | null;
  /** The leg that rings the browser again; null while there is none. */
  readonly returningLegId: string | null;
}

export type KeptRecording = Pick<LegRecordingRow, 'channels' | 'max_seconds'> & {
  readonly transcribe: boolean;
  readonly isPaused: boolean;
};
